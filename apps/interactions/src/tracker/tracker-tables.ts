// Each environment has tables of its own, distinguished by a suffix of the name (pipelines.md, Tracker table), so that
// several environments may share one database. The names are quoted: the suffix has a capital letter.
import type { Environment } from '@tradewind/shared-types';

const suffixes: Record<Environment, string> = { production: '', staging: 'Staging', dev: 'Dev' };

export interface TrackerTables {
  tracker: string;
  providerPause: string;
  webhookInbox: string;
  leftOverItems: string;
  companyCosts: string;
  companyBudgets: string;
  timeline: string;
}

/** Names ready for SQL text. */
export function trackerTables(environment: Environment): TrackerTables {
  const suffix = suffixes[environment];
  return {
    tracker: `"network_interactions_tracker${suffix}"`,
    providerPause: `"start_gate${suffix}"`,
    webhookInbox: `"webhook_inbox${suffix}"`,
    leftOverItems: `"left_over_items${suffix}"`,
    companyCosts: `"company_costs${suffix}"`,
    companyBudgets: `"company_budgets${suffix}"`,
    timeline: `"job_timeline${suffix}"`,
  };
}

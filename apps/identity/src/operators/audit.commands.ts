import { addExamples, OperatorError, positiveInteger, utcText } from '@tradewind/service-kit';
import { AuditEvents } from './audit-events.service.js';
import type { AuditEvent } from '../audit/audit-event.entity.js';
import { type ListDisplay, type Open, printList, type Program } from './command-line.js';

interface ListOptions {
  user?: string;
  client?: string;
  event?: string;
  since?: string;
  limit: number;
  json?: boolean;
}

export function auditCommands(program: Program, open: Open): void {
  const audit = program.command('audit').description('who did what');
  addExamples(audit, 'audit list --event login.failed --since 2026-11-01', 'audit list --limit 1000 --json');
  audit
    .command('list')
    .description('newest first')
    .option('--user <id>', 'user id')
    .option('--client <id>', 'client_id')
    .option('--event <name>', 'for example login.failed')
    .option('--since <time>', 'ISO 8601')
    .option('--limit <rows>', 'at most this many', positiveInteger, 100)
    .option('--json', 'one JSON object for each event')
    .action(async ({ user, client, event, since, limit, json }: ListOptions) => {
      const events = (await open()).get(AuditEvents, { strict: false });
      const filter = { userId: user, clientId: client, event, since: since === undefined ? undefined : time(since) };
      printList(await events.list(filter, limit), json, eventList);
    });
}

function time(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new OperatorError('--since must be a time in ISO 8601');
  return date;
}

const eventList: ListDisplay<AuditEvent> = {
  name: 'events',
  headings: ['at (UTC)', 'event', 'user', 'client', 'ip', 'details'],
  cells: ({ at, event, userId, clientId, ip, details }) => [
    utcText(at),
    event,
    userId,
    clientId,
    ip,
    JSON.stringify(details),
  ],
};

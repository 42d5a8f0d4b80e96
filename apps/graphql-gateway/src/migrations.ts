import type { Migration } from '@tradewind/service-kit';
import { apiKeysTables } from './api-keys/0002-api-keys.js';
import { auditByMonth } from './api-keys/0010-audit-by-month.js';
import { endedCredentials } from './api-keys/0011-ended-credentials.js';
import { keyLists } from './api-keys/0014-key-lists.js';
import { keyRequests } from './api-keys/0016-key-requests.js';
import { expiringKeys } from './api-keys/0017-expiring-keys.js';
import { dataTables } from './data-tables/0001-data-tables.js';
import { companyChanges } from './data-tables/0004-company-changes.js';
import { dealDateRanges } from './data-tables/0005-deal-date-ranges.js';
import { dealDayBlocks } from './data-tables/0006-deal-day-blocks.js';
import { listsByIdBlock } from './data-tables/0007-lists-by-id-block.js';
import { dealBlocksWithAllDates } from './data-tables/0008-deal-blocks-with-all-dates.js';
import { contactWordsById } from './data-tables/0009-contact-words-by-id.js';
import { plainListIndexes } from './data-tables/0012-plain-list-indexes.js';
import { changesOfAllRecords } from './data-tables/0013-changes-of-all-records.js';
import { partsOfLargeChanges } from './data-tables/0015-parts-of-large-changes.js';
import { limitsTables } from './rate-limit/0003-limits.js';

/** The tables of the gateway, in the order they are made. */
export const migrations: readonly Migration[] = [
  dataTables,
  apiKeysTables,
  limitsTables,
  companyChanges,
  dealDateRanges,
  dealDayBlocks,
  listsByIdBlock,
  dealBlocksWithAllDates,
  contactWordsById,
  auditByMonth,
  endedCredentials,
  plainListIndexes,
  changesOfAllRecords,
  keyLists,
  partsOfLargeChanges,
  keyRequests,
  expiringKeys,
];

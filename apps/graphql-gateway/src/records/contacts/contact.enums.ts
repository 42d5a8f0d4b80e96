// Enums of the contact arguments (DECISIONS.md, Commercial data).
import { graphqlEnum } from '../field-types/enums.js';

export const ContactFilterType = graphqlEnum('ContactFilterType', 'Whose contacts to search.', {
  ALL: 'Every contact that you may see: your own and the shared ones',
  MINE: 'Contacts that belong to you',
  SHARED: 'Contacts that are shared with everybody',
});

export const EntityMatchingStatus = graphqlEnum(
  'EntityMatchingStatus',
  'Whether a contact was matched with a person of the data set.',
  {
    MATCHED: 'Matched with a person',
    UNMATCHED: 'No person was found',
    PENDING: 'Not tried yet',
  },
);

export const SyncSourceType = graphqlEnum('SyncSourceType', 'Kind of system that a contact came from.', {
  CRM: 'A customer relationship system',
  EMAIL: 'A mailbox',
  CALENDAR: 'A calendar',
  IMPORT: 'An imported file',
});

export const ImportSourceTypeEnum = graphqlEnum('ImportSourceTypeEnum', 'System that a contact came from.', {
  CSV: 'A file of comma-separated values',
  SALESFORCE: 'Salesforce',
  HUBSPOT: 'HubSpot',
  GOOGLE: 'Google',
  OUTLOOK: 'Outlook',
});

export const ContactSortBy = graphqlEnum('ContactSortBy', 'What contacts are sorted by.', {
  CREATED_AT: 'When the contact was created',
  UPDATED_AT: 'When the contact was last changed',
  NAME: 'Name of the contact',
  EMAIL: 'Main email address',
});

export const PersonOrderBy = graphqlEnum('PersonOrderBy', 'What of its person a contact is sorted by.', {
  NAME: 'Name of the person',
  AGE: 'Age of the person',
  GROSS_SALARY: 'Gross salary of the person',
});

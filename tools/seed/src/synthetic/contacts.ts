import { streams } from './ids.js';
import type { Links } from './links.js';
import { asciiHandle } from './persons.js';
import { Random } from './random.js';
import { vocabulary } from './vocabulary.js';

const matchingStatuses = ['MATCHED', 'MATCHED', 'MATCHED', 'UNMATCHED', 'PENDING'] as const;
const sources = [
  ['CRM', 'SALESFORCE'],
  ['CRM', 'HUBSPOT'],
  ['EMAIL', 'GOOGLE'],
  ['EMAIL', 'OUTLOOK'],
  ['CALENDAR', 'GOOGLE'],
  ['IMPORT', 'CSV'],
] as const;

/** Numbers of users in the source systems. */
const sourceUsersMax = 200;

/**
 * The contact at a place: a person met at a company. Owners take turns over half of the contacts, those private now and
 * then; the other half belongs to nobody and is shared.
 */
export function syntheticContact(
  seed: number,
  place: number,
  firstId: number,
  links: Links,
  ownerIds: readonly string[],
) {
  const random = new Random(seed, streams.contact, place);
  const company = random.chance(0.9) ? random.entry(links.companies) : undefined;
  const person = random.chance(0.8) ? random.entry(links.persons) : undefined;
  const firstName = person?.first_name ?? random.pick(vocabulary.firstNames.FEMALE);
  const lastName = person?.last_name ?? random.pick(vocabulary.lastNames);
  const domain = company ? `${asciiHandle(company.name.split(' ')[0]!) || 'company'}.example` : 'mail.example';
  const email = random.chance(0.95)
    ? `${asciiHandle(`${firstName} ${lastName}`).replaceAll('-', '.')}.${place + 1}@${domain}`
    : null;
  const [syncSourceType, syncSourceName] = random.pick(sources);
  const created = Date.parse('2023-01-01') + Math.floor(random.next() * 1400 * 86_400_000);
  const ownerId = ownerIds.length > 0 && random.chance(0.5) ? random.pick(ownerIds) : null;
  return {
    id: firstId + place,
    owner_id: ownerId,
    is_shared: ownerId === null || random.chance(0.6),
    user_id: random.between(1, sourceUsersMax),
    name: `${firstName} ${lastName}`,
    first_name: firstName,
    last_name: lastName,
    email,
    emails:
      email === null
        ? []
        : [email, ...(random.chance(0.2) ? [`${asciiHandle(lastName)}.${place + 1}@mail.example`] : [])],
    company_id: company?.id ?? null,
    company_name: company?.name ?? null,
    person_id: person?.id ?? null,
    person_name: person?.name ?? null,
    person_birth_date: person?.birth_date ?? null,
    person_gross_salary_amount: person?.gross_salary_amount ?? null,
    opportunity_ids: random.chance(0.2) ? [random.between(1, 500)] : [],
    collection_ids: random.chance(0.25) ? [random.between(1, 40)] : [],
    import_id: syncSourceType === 'IMPORT' ? random.between(1, 30) : null,
    matching_status: random.pick(matchingStatuses),
    sync_source_type: syncSourceType,
    sync_source_name: syncSourceName,
    has_sync_issues: random.chance(0.05),
    is_contact: random.chance(0.95),
    is_crm: syncSourceType === 'CRM',
    is_deleted: random.chance(0.02),
    is_blacklisted: random.chance(0.01),
    created_at: new Date(created).toISOString(),
    updated_at: new Date(
      Math.min(created + random.between(0, 300) * 86_400_000, Date.parse('2026-11-01')),
    ).toISOString(),
  };
}

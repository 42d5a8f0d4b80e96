// The closed sets of the data API (data-api.md, Enumerations; DECISIONS.md), each member with its meaning.
// The gateway registers its GraphQL enums from these lists and tools/seed checks imported rows against them.

export const searchComparisons = {
  IS: 'Equal to the one given value',
  IS_ANY_OF: 'Equal to one of the values; a list field shares an element with them',
  IS_NOT_ANY_OF: 'The exact complement of IS_ANY_OF; a record without a value matches',
  IS_ALL_OF: 'A list field has all the values; a single field equals every one of them',
  BETWEEN: 'Between two values in ascending order, both included',
  MORE_THAN: 'Greater than (after) the one given value',
  MORE_OR_EQUALS_THAN: 'Greater than (after) or equal to the one given value',
  LESS_THAN: 'Less than (before) the one given value',
  LESS_OR_EQUALS_THAN: 'Less than (before) or equal to the one given value',
} as const;
export type SearchComparison = keyof typeof searchComparisons;

export const inclusionComparisons = {
  IS_ANY_OF: searchComparisons.IS_ANY_OF,
  IS_NOT_ANY_OF: searchComparisons.IS_NOT_ANY_OF,
} as const;

export const genders = { MALE: 'Male', FEMALE: 'Female', OTHER: 'Neither of the two' } as const;
export type Gender = keyof typeof genders;

export const educationLevels = {
  SECONDARY: 'Secondary school or less',
  VOCATIONAL: 'Vocational training',
  UNDERGRADUATE_BACHELORS: "Bachelor's degree",
  POSTGRADUATE_MASTERS: "Master's degree",
  PHD: 'Doctorate',
} as const;
export type EducationLevel = keyof typeof educationLevels;

export const dealTypes = {
  SPONSORSHIP: 'A buyer sponsors a property, an event or a person',
  MEDIA: 'Media rights or advertising',
  FULL_DEAL: 'Sponsorship and media together',
  RELATIONSHIP: 'A known relationship without a published contract',
} as const;
export type DealType = keyof typeof dealTypes;

export const dealStatuses = {
  ACTIVE: 'Started, not ended; or the dates are not known',
  PAST: 'Ended before today (UTC)',
  FUTURE: 'Starts after today (UTC)',
} as const;
export type DealStatus = keyof typeof dealStatuses;

export const dealRenewalOptions = {
  NEW: 'The first contract between the parties',
  CONFIRMED: 'A renewal is agreed',
  RENEWAL: 'The contract renews an earlier one',
} as const;
export type DealRenewalOption = keyof typeof dealRenewalOptions;

/** Multipliers of Money: the factor that turns `value` into units of its currency. */
export const moneyMultipliers = { UNITS: 1, THOUSANDS: 1e3, MILLIONS: 1e6, BILLIONS: 1e9 } as const;
export type MoneyMultiplier = keyof typeof moneyMultipliers;

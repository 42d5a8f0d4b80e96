// The GraphQL enums, registered from the lists of libs/filters (data-api.md, Enumerations; DECISIONS.md).
import { registerEnumType } from '@nestjs/graphql';
import {
  dealRenewalOptions,
  dealStatuses,
  dealTypes,
  educationLevels,
  genders,
  inclusionComparisons,
  industries,
  moneyMultipliers,
  searchComparisons,
  sectors,
} from '@tradewind/filters';

type Members = Readonly<Record<string, string>>;

/** An enum whose values are its names. `members` maps each name to its description. */
export function graphqlEnum<M extends Members>(
  name: string,
  description: string,
  members: M,
): { readonly [K in keyof M]: K } {
  const values = Object.fromEntries(Object.keys(members).map((member) => [member, member]));
  const valuesMap = Object.fromEntries(
    Object.entries(members).map(([member, text]) => [member, { description: `${text}.` }]),
  );
  registerEnumType<Members>(values, { name, description, valuesMap });
  return values as { [K in keyof M]: K };
}

export const SearchComparisonType = graphqlEnum(
  'SearchComparisonType',
  'How a record is compared with the values of a filter.',
  searchComparisons,
);
export const InclusionComparisonType = graphqlEnum(
  'InclusionComparisonType',
  'Whether a record must be among the values or not.',
  inclusionComparisons,
);
export const Gender = graphqlEnum('Gender', 'Gender of a person.', genders);
export const EducationLevel = graphqlEnum('EducationLevel', 'Highest level of education of a person.', educationLevels);
export const DealType = graphqlEnum('DealType', 'Kind of a deal.', dealTypes);
export const DealStatus = graphqlEnum('DealStatus', 'State of a deal today (UTC), judged by its dates.', dealStatuses);
export const DealRenewalOptionType = graphqlEnum(
  'DealRenewalOptionType',
  'Place of a deal in a row of contracts.',
  dealRenewalOptions,
);
export const SortOrder = graphqlEnum('SortOrder', 'Direction of a sort. Records without a value come last in both.', {
  ASC: 'Ascending: A to Z, oldest first, smallest first',
  DESC: 'Descending: Z to A, newest first, largest first',
});

export const MoneyMultiplier = graphqlEnum(
  'MoneyMultiplier',
  'What an amount is multiplied by to get units of its currency.',
  Object.fromEntries(
    Object.entries(moneyMultipliers).map(([member, factor]) => [
      member,
      `The amount counts ${factor === 1 ? 'single units' : factor.toLocaleString('en-US')} of the currency`,
    ]),
  ) as { [K in keyof typeof moneyMultipliers]: string },
);

const sectorNames = new Map(sectors.map(({ id, name }) => [id, name]));

/** One member for each of the 415 industries; the member is the industry's name with underscores. */
export const Industry = graphqlEnum(
  'Industry',
  'Industry of a company. A member is the name of the industry with every character that is no letter or digit replaced by an underscore.',
  Object.fromEntries(
    industries.map(({ member, name, sectorId }) => [member, `${name} (sector: ${sectorNames.get(sectorId)})`]),
  ),
);

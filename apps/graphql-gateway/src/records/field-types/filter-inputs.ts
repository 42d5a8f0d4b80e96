// The filter input types, made from the table of filter fields in libs/filters, so that schema, documentation and
// behaviour cannot differ.
import type { Type } from '@nestjs/common';
import { Field, ID, InputType, type ReturnTypeFunc } from '@nestjs/graphql';
import {
  filterFields,
  nameCharsMax,
  objectsMaxPerField,
  searchTextCharsMax,
  valuesMaxPerFilter,
  type FilterEntity,
  type FilterField,
} from '@tradewind/filters';
import { BigInteger } from './scalars.js';
import {
  DealRenewalOptionType,
  DealStatus,
  DealType,
  EducationLevel,
  Gender,
  InclusionComparisonType,
  Industry,
  SearchComparisonType,
} from './enums.js';

/** Makes `{values, comparison}` for one type of values. */
function filterInput(
  name: string,
  valueType: ReturnTypeFunc,
  values: string,
  comparison: object = SearchComparisonType,
): Type<object> {
  @InputType(name, { description: `A condition: the values and how the record compares with them. Values: ${values}.` })
  class FilterInput {
    @Field(() => [valueType() as Type], {
      description: `One to ${valuesMaxPerFilter} values, in a list also when it is just one: ${values}.`,
    })
    values!: unknown[];

    @Field(() => comparison, { nullable: true, description: 'How to compare; IS_ANY_OF unless given.' })
    comparison?: string | null;
  }
  return FilterInput;
}

const textFilter = filterInput(
  'TextFilter',
  () => String,
  `texts, searched by words, of at most ${searchTextCharsMax} characters each`,
);
const integerFilter = filterInput('IntegerFilter', () => BigInteger, 'whole numbers or strings of digits');
const dateFilter = filterInput('DateFilter', () => String, 'dates as "YYYY-MM-DD"');
const booleanFilter = filterInput('BooleanFilter', () => Boolean, 'true, false');
const nameFilter = filterInput('NameFilter', () => ID, `names, of at most ${nameCharsMax} characters, or ids`);
const industryFilter = filterInput('IndustryFilter', () => Industry, 'members of the enum Industry');

const memberFilters: Readonly<Record<string, Type<object>>> = {
  gender: filterInput('GenderFilter', () => Gender, 'members of the enum Gender'),
  educationLevel: filterInput('EducationLevelFilter', () => EducationLevel, 'members of the enum EducationLevel'),
  type: filterInput('DealTypeFilter', () => DealType, 'members of the enum DealType'),
  status: filterInput('DealStatusFilter', () => DealStatus, 'members of the enum DealStatus'),
  renewalOption: filterInput(
    'DealRenewalOptionTypeFilter',
    () => DealRenewalOptionType,
    'members of the enum DealRenewalOptionType',
  ),
};

export const InputTopMarketsFilter = filterInput(
  'InputTopMarketsFilter',
  () => ID,
  'names or ids of regions',
  InclusionComparisonType,
);
export const InputOfficeLocationFilter = filterInput(
  'InputOfficeLocationFilter',
  () => ID,
  'names or ids of regions',
  InclusionComparisonType,
);

function filterOf(field: FilterField): Type<object> {
  switch (field.value.kind) {
    case 'text':
      return textFilter;
    case 'integer':
    case 'money':
    case 'age':
      return integerFilter;
    case 'date':
      return dateFilter;
    case 'boolean':
      return booleanFilter;
    case 'name':
      return nameFilter;
    case 'industry':
      return industryFilter;
    case 'member': {
      const filter = memberFilters[field.name];
      if (!filter) throw new Error(`No enum is known for the filter ${field.name}`);
      return filter;
    }
  }
}

/** Fields that are arguments of their own rather than parts of searchFilters. */
const argumentFields = new Set(['topMarkets', 'officeLocation']);

function searchFiltersInput(name: string, entity: FilterEntity, records: string): Type<object> {
  class SearchFilters {}
  for (const field of filterFields[entity]) {
    if (argumentFields.has(field.name)) continue;
    const filter = filterOf(field);
    const example = JSON.stringify([{ values: field.example.slice(0, 1) }]);
    const comparisons = `Comparisons: ${field.comparisons.join(', ')}.`;
    Field(() => [filter], { nullable: true, description: `${field.meaning} ${comparisons} Example: ${example}.` })(
      SearchFilters.prototype,
      field.name,
    );
  }
  InputType(name, {
    description: `Filters on ${records}. All fields, and all conditions on one field (at most ${objectsMaxPerField}), must hold.`,
  })(SearchFilters);
  return SearchFilters;
}

export const InputCompanySearchFilters = searchFiltersInput('InputCompanySearchFilters', 'company', 'companies');
export const InputPersonsSearchFilters = searchFiltersInput('InputPersonsSearchFilters', 'person', 'persons');
export const InputDealSearchFilters = searchFiltersInput('InputDealSearchFilters', 'deal', 'deals');

import { applyDecorators, type Type } from '@nestjs/common';
import { ArgsType, Field, Float, ID, InputType, Int, ObjectType, type ReturnTypeFunc } from '@nestjs/graphql';
import { searchTextCharsMax } from '@tradewind/filters';
import { MayBeNull } from '@tradewind/shared-types';
import { ArrayMaxSize, ArrayMinSize, IsPositive, Max } from 'class-validator';
import { connectionOf } from '../../connections/connection.types.js';
import { SortOrder } from '../field-types/enums.js';
import { CompanyReference, PersonReference } from '../field-types/references.js';
import { JSONObject, Timestamp } from '../field-types/scalars.js';
import {
  ContactFilterType,
  ContactSortBy,
  EntityMatchingStatus,
  ImportSourceTypeEnum,
  PersonOrderBy,
  SyncSourceType,
} from './contact.enums.js';
import { emailCharsMax, hoursMax, listMax, wordsMax } from './contact-limits.js';

interface Reference {
  id: string;
  name: string | null;
}

@ObjectType({
  description:
    'A contact: somebody that a user of the platform knows, linked to company and person where they are known.',
})
export class Contact {
  @Field(() => ID, { description: 'Id of the contact.' })
  id!: string;

  @Field(() => String, { description: 'Full name.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'First name. Null when unknown.' })
  firstName!: string | null;

  @Field(() => String, { nullable: true, description: 'Last name. Null when unknown.' })
  lastName!: string | null;

  @Field(() => String, { nullable: true, description: 'Main email address. Null when unknown.' })
  email!: string | null;

  @Field(() => [String], { description: 'All email addresses.' })
  emails!: string[];

  @Field(() => CompanyReference, {
    nullable: true,
    description: 'Company that the contact works for. Null when unknown.',
  })
  company!: Reference | null;

  @Field(() => PersonReference, {
    nullable: true,
    description: 'Person of the data set that the contact is. Null when none was matched.',
  })
  person!: Reference | null;
}

export const ContactConnection = connectionOf(Contact, 'Contact', 'contacts');

/** A list that may be absent or null. */
function List(type: ReturnTypeFunc, description: string): PropertyDecorator {
  return applyDecorators(
    Field(() => [type() as Type], { nullable: true, description }),
    MayBeNull(),
    ArrayMinSize(1, { message: '$property needs at least one value' }),
    ArrayMaxSize(listMax, {
      message: ({ property, value }) =>
        `${property} takes at most ${listMax} values, got ${(value as unknown[]).length}`,
    }),
  );
}

const oneOf = (values: string) => `${values}, at most ${listMax}; one of them must fit.`;
const hoursMessage = `updatedInLastHours must be more than 0 and at most ${hoursMax}`;

@InputType({
  description:
    'Filters on contacts. All that are given must hold. Deleted and blacklisted contacts are left out unless asked for.',
})
export class InputGetContactFilters {
  @List(() => Int, oneOf('Ids of contacts'))
  contactIds?: number[] | null;

  @List(() => Int, oneOf('Ids of the persons that the contacts are'))
  personIds?: number[] | null;

  @List(() => Int, oneOf('Ids of the companies that the contacts work for'))
  companyIds?: number[] | null;

  @List(
    () => Int,
    `Ids of companies that the contacts must not work for, at most ${listMax}; a contact without a company fits.`,
  )
  noCompanyIds?: number[] | null;

  @List(() => Int, oneOf('Ids of opportunities that the contacts belong to'))
  opportunityIds?: number[] | null;

  @List(() => Int, oneOf('Numbers of users in the system that the contacts came from'))
  userId?: number[] | null;

  @List(() => Int, oneOf('Ids of imports that the contacts came with'))
  importId?: number[] | null;

  @List(() => Int, oneOf('Ids of collections that the contacts are in'))
  collectionId?: number[] | null;

  @Field(() => String, {
    nullable: true,
    description: `One of the email addresses, whole, without regard to case; at most ${emailCharsMax} characters.`,
  })
  email?: string | null;

  @Field(() => String, {
    nullable: true,
    description: `Words of name, addresses, company and person; all must occur, the last one may be unfinished. At most ${searchTextCharsMax} characters and ${wordsMax} words. Example: "keller acm".`,
  })
  query?: string | null;

  @Field(() => ContactFilterType, { nullable: true, description: 'Whose contacts; ALL unless given.' })
  filterType?: keyof typeof ContactFilterType | null;

  @List(() => EntityMatchingStatus, oneOf('States of matching'))
  matchingStatus?: string[] | null;

  @List(() => SyncSourceType, oneOf('Kinds of systems that the contacts came from'))
  syncSourceType?: string[] | null;

  @List(() => ImportSourceTypeEnum, 'Contacts from one of these systems whose synchronisation has issues.')
  syncSourceNameWithSyncIssues?: string[] | null;

  @Field(() => Timestamp, { nullable: true, description: 'Created at this instant or later.' })
  fromCreatedAt?: Date | null;

  @Field(() => Timestamp, { nullable: true, description: 'Created at this instant or earlier.' })
  toCreatedAt?: Date | null;

  @Field(() => Timestamp, { nullable: true, description: 'Last changed at this instant or later.' })
  fromUpdatedAt?: Date | null;

  @Field(() => Timestamp, { nullable: true, description: 'Last changed at this instant or earlier.' })
  toUpdatedAt?: Date | null;

  @MayBeNull()
  @IsPositive({ message: hoursMessage })
  @Max(hoursMax, { message: hoursMessage })
  @Field(() => Float, {
    nullable: true,
    description: 'Last changed within this many hours before now, for example 0.5.',
  })
  updatedInLastHours?: number | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether it is a contact proper.' })
  isContact?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether it comes from a customer relationship system.' })
  isCrm?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether its synchronisation has issues.' })
  hasSyncIssues?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'True: only contacts that are in some collection.' })
  onlyInCollections?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'True: deleted contacts only. False or absent: none of them.' })
  isDeleted?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'True: blacklisted contacts as well.' })
  includeBlacklisted?: boolean | null;
}

@ArgsType()
export class ContactsArgs {
  @Field(() => InputGetContactFilters, {
    nullable: true,
    description: 'Filters on contacts; a variable of any name, or a literal.',
  })
  filters?: InputGetContactFilters | null;

  @Field(() => JSONObject, {
    nullable: true,
    description:
      'Filters on the persons of the contacts, shaped like InputPersonsSearchFilters: {"skills": [{"values": ["Negotiation"], "comparison": "IS_ANY_OF"}]}. Prefer `filters`, which is typed.',
  })
  personSearchFilters?: Record<string, unknown> | null;

  @Field(() => ContactSortBy, { nullable: true, description: 'First sort key; by id unless given.' })
  sortBy?: keyof typeof ContactSortBy | null;

  @Field(() => PersonOrderBy, {
    nullable: true,
    description: 'Sort key from the person of the contact; the second one when sortBy is given too.',
  })
  personSortBy?: keyof typeof PersonOrderBy | null;

  @Field(() => SortOrder, { nullable: true, description: 'Direction of all sort keys; ASC unless given.' })
  sortOrder?: keyof typeof SortOrder | null;

  @Field(() => String, {
    nullable: true,
    description: '`pageInfo.endCursor` of the previous page; the first page without it.',
  })
  after?: string | null;
}

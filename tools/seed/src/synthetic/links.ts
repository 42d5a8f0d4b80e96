// What other rows copy from a company or a person. Directories answer by place, so that linking needs no memory for
// synthetic rows: those are made again from their place.

export interface CompanyFacts {
  id: number;
  name: string;
  industryId: number | null;
  categoryIds: readonly number[];
  regionIds: readonly number[];
  parentCompanyId: number | null;
  revenueAmount: number | null;
}

export interface PersonFacts {
  id: number;
  name: string;
  firstName: string | null;
  lastName: string | null;
  birthDate: string | null;
  grossSalaryAmount: number | null;
}

export interface Directory<T> {
  readonly count: number;
  /** The entry at a place, from 0 up to, not including, `count`. */
  at(place: number): T;
}

/** Synthetic rows take ids above this one, so that they never meet imported rows. */
export const syntheticIdBase = 1_000_000_000;

/** Streams of random numbers, one for each kind of row. */
export const streams = { company: 1, person: 2, deal: 3, contact: 4 } as const;

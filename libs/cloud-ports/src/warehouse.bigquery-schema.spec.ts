import { describe, expect, it } from '@jest/globals';
import * as schema from './warehouse.bigquery-schema.js';

const name = { projectId: 'project', dataset: 'dataset' };

describe('the SQL that BigQuery is given', () => {
  it('is the committed one', () => {
    expect(schema.countOfRun(name, 'network_posts')).toMatchSnapshot('countOfRun');
    expect(schema.latestProfileCall(name)).toMatchSnapshot('latestProfileCall');
    expect(schema.itemsOfRun(name, 'network_posts', { limit: 51 })).toMatchSnapshot('itemsOfRun, from the beginning');
    expect(schema.itemsOfRun(name, 'network_posts', { after: { at: new Date() }, limit: 51 })).toMatchSnapshot(
      'itemsOfRun, behind a time',
    );
    expect(schema.itemsOfRun(name, 'network_post_reactions', { after: { at: null }, limit: 51 })).toMatchSnapshot(
      'itemsOfRun, without a time',
    );
    expect(schema.priorityPeopleAfter(name)).toMatchSnapshot('priorityPeopleAfter, from the beginning');
    expect(schema.priorityPeopleAfter(name, { person_id: 'p', network_username: 'u' })).toMatchSnapshot(
      'priorityPeopleAfter, behind a username',
    );
    expect(schema.priorityPeopleAfter(name, { person_id: 'p', network_username: null })).toMatchSnapshot(
      'priorityPeopleAfter, behind a person without one',
    );
    for (const view of schema.views(name)) expect(view.query).toMatchSnapshot(`view ${view.name}`);
  });

  it('changes no row, and has every value as a parameter', () => {
    const statements = [
      schema.countOfRun(name, 'network_posts'),
      schema.latestProfileCall(name),
      schema.itemsOfRun(name, 'network_post_comments', { after: { at: new Date() }, limit: 1 }),
      schema.priorityPeopleAfter(name, { person_id: "o'hara", network_username: '"; drop table x' }),
      ...schema.views(name).map(({ query }) => query),
    ];
    for (const statement of statements) {
      expect(statement).not.toMatch(/\b(update|delete|merge|truncate|drop)\b/i);
      expect(statement).not.toContain("o'hara");
    }
  });

  it('partitions every table by the day it was written and clusters it by what it is looked up by', () => {
    for (const table of schema.tableNames) {
      const { timePartitioning, clustering, schema: columns } = schema.tableMetadata(table);
      expect(timePartitioning).toEqual({ type: 'DAY', field: 'ingested_at' });
      const names = (columns as { fields: { name: string }[] }).fields.map((field) => field.name);
      for (const field of clustering!.fields!) expect(names).toContain(field);
    }
  });
});

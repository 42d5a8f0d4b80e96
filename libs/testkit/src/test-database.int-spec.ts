import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase } from './test-database.js';

describe('createTestDatabase', () => {
  it('gives each caller a database of its own, cloned from the migrated template', async () => {
    const template = {
      name: 'testkit_example',
      migrate: async (url: string) => {
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        await client.query('create table item(id int primary key)');
        await client.end();
      },
    };
    const [first, second] = await Promise.all([createTestDatabase(template), createTestDatabase(template)]);
    const client = new pg.Client({ connectionString: first.url });
    await client.connect();
    await client.query('insert into item values (1)');
    await client.end();
    const other = new pg.Client({ connectionString: second.url });
    await other.connect();
    expect((await other.query('select * from item')).rowCount).toBe(0);
    await other.end();
    await Promise.all([first.drop(), second.drop()]);
  });
});

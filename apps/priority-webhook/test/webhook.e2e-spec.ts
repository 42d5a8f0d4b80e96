import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { monthOf, profileBackupBucket } from '@tradewind/shared-types';
import { deliverTo, eventually, profileBody, serviceToken, startApp, type TestApp } from './priority-webhook-app.js';

const thisMonth = monthOf(new Date());

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const calls = (username: string) =>
  app.query<{ requestType: string; requestStatus: string; requestDate: Date; responseData: unknown }>(
    `select "requestType", "requestStatus", "requestDate", "responseData" from warehouse.scraped_profile_calls where "requestResource" = $1`,
    [username],
  );
const backups = async (username: string) => {
  const names: string[] = [];
  for await (const name of app.objects.list(profileBackupBucket, `${username}_`)) names.push(name);
  return names;
};

describe('POST /webhook/network', () => {
  it('stores the profile, backs it up, and answers that it did', async () => {
    const before = Date.now();
    const answer = await app.deliver(profileBody('jane-doe'));
    expect(answer).toEqual({
      status: 200,
      body: { status: 'success', saved_to_warehouse: true, backed_up_to_storage: true },
    });
    const [row, ...others] = await calls('jane-doe');
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      requestType: 'SCRAPER_API_PERSON',
      requestStatus: 'SUCCESS',
      responseData: { data: { profile: { name: 'Jane Doe' } } },
    });
    expect(row!.requestDate.getTime()).toBeGreaterThanOrEqual(before);
    const [name, ...more] = await backups('jane-doe');
    expect(more).toEqual([]);
    const timestamp = row!.requestDate.toISOString().slice(0, 19).replace(/[-T:]/g, '');
    expect(name).toBe(`jane-doe_${timestamp}.json`);
    expect(JSON.parse((await app.objects.read(profileBackupBucket, name!))!)).toEqual(profileBody('jane-doe'));
  });

  it('stores a repeated delivery once: one row, one object', async () => {
    const headers = { 'x-correlation-id': '2026-11.twice' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.deliver(profileBody('twice'), headers)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const late = await app.deliver(profileBody('twice'), headers);
    expect(late.body).toEqual({ status: 'success', saved_to_warehouse: true, backed_up_to_storage: true });
    expect(await calls('twice')).toHaveLength(1);
    expect(await backups('twice')).toHaveLength(1);
  });

  it('recognises a repeat without a correlation id by its content, whatever the order of its fields', async () => {
    await app.deliver('{"url":"https://www.linkedin.com/in/content","data":{"profile":{"name":"A","headline":"B"}}}');
    await app.deliver('{"data":{"profile":{"headline":"B","name":"A"}},"url":"https://www.linkedin.com/in/content"}');
    expect(await calls('content')).toHaveLength(1);
    expect(await backups('content')).toHaveLength(1);
  });

  it('gives two different profiles of one handle in one second distinct backups', async () => {
    const bodies = Array.from({ length: 5 }, (_, index) => profileBody('twins', { name: `Twin ${index}` }));
    await Promise.all(bodies.map((body) => app.deliver(body)));
    await eventually(async () => {
      expect(await calls('twins')).toHaveLength(5);
      const names = await backups('twins');
      expect(new Set(names).size).toBe(5);
      for (const name of names) expect(name).toMatch(/^twins_\d{14}(-[2-5])?\.json$/);
    });
  });

  it.each([
    ['a null profile with an error', { data: { profile: null, error: 'profile_not_found' } }, 'profile_not_found'],
    ['an empty profile', { data: { profile: {} } }, 'the provider sent no profile'],
    ['an error beside no data', { error: 'blocked' }, 'blocked'],
    ['a failed status', { status: 'FAILED', data: {} }, 'FAILED'],
  ])('keeps a failure, %s, as a failure row', async (_what, rest, reason) => {
    const username = `failed-${Math.random().toString(36).slice(2)}`;
    const answer = await app.deliver({ url: `https://www.linkedin.com/in/${username}`, ...rest });
    expect(answer.body).toEqual({ status: 'success', saved_to_warehouse: true, backed_up_to_storage: true });
    expect(await calls(username)).toMatchObject([{ requestStatus: 'FAILED', responseData: rest }]);
    expect(await app.query('select reason from delivery where network_username = $1', [username])).toEqual([
      { reason },
    ]);
  });

  it.each([
    ['no url', { data: { profile: { name: 'x' } } }, 'url should not be empty'],
    ['a url that is no text', { url: 5, data: {} }, 'url must be a string'],
    [
      'a company',
      { url: 'https://www.linkedin.com/company/acme', data: { profile: { name: 'x' } } },
      'url must be the address of a profile',
    ],
    [
      'another site',
      { url: 'https://example.com/in/jane', data: { profile: { name: 'x' } } },
      'url must be the address of a profile',
    ],
    ...['..', '%2A', '@ada', 'a%E2%80%AEb', 'a%E2%80%8Bb', 'a%00b', 'x'.repeat(101)].map(
      (handle): [string, object, string] => [
        `an address with the handle ${handle.slice(0, 20)}`,
        { url: `https://www.linkedin.com/in/${handle}`, data: { profile: { name: 'x' } } },
        'url must be the address of a profile',
      ],
    ),
    [
      'an address of 80 kB of combining marks',
      { url: `https://www.linkedin.com/in/a${'\u0315\u0300'.repeat(40_000)}`, data: { profile: { name: 'x' } } },
      'url must be the address of a profile',
    ],
    ['no data', { url: 'https://www.linkedin.com/in/jane' }, 'data should not be empty'],
    ['a list', [], 'body must be an object'],
    ['null', null, 'body must be an object'],
  ])('refuses %s with 400 and keeps it for inspection', async (what, body, message) => {
    const marked = body && !Array.isArray(body) ? { ...body, marker: what } : body;
    for (let time = 0; time < 2; time++) {
      const answer = await app.deliver(marked);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({
        error: 'Bad Request',
        statusCode: 400,
        message: [expect.stringContaining(message)],
      });
    }
    const [kept, ...others] = await app.query(
      'select reason, times from unusable_payload where body::jsonb = $1::jsonb',
      [JSON.stringify(marked)],
    );
    expect(others).toEqual([]);
    expect(kept).toMatchObject({ times: 2, reason: expect.stringContaining(message) });
  });

  it('keeps text that PostgreSQL cannot hold, without losing the profile', async () => {
    const answer = await app.deliver(
      '{"url":"https://www.linkedin.com/in/odd-text","data":{"profile":{"name":"a\\u0000b","headline":"x\\ud800y","emoji":"😀"}}}',
    );
    expect(answer.body).toMatchObject({ saved_to_warehouse: true, backed_up_to_storage: true });
    const [row] = await calls('odd-text');
    expect(row!.responseData).toMatchObject({ data: { profile: { name: 'ab', headline: 'x\ufffdy', emoji: '😀' } } });
  });
});

describe('many webhooks at the same moment, which share one commit', () => {
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  const bad: [string, (url: string) => string, number][] = [
    ['a NUL in the error', (url) => JSON.stringify({ url, data: {}, error: 'block\u0000ed' }), 200],
    ['half a character at the cut of the error', (url) => JSON.stringify({ url, error: `${'x'.repeat(499)}😀` }), 200],
    ['a NUL in a name of a field', (url) => `{"url":"${url}","data":{"profile":{"na\\u0000me":"x"}}}`, 200],
    ['half a character', (url) => `{"url":"${url}","data":{"profile":{"name":"\\ud83d"}}}`, 200],
    [
      'a number beyond all bounds',
      (url) => `{"url":"${url}","data":{"profile":{"age":1e999,"id":${'9'.repeat(400)}}}}`,
      200,
    ],
    [
      'a date beyond all bounds',
      (url) => `{"url":"${url}","data":{"profile":{"born":"+999999-01-01T00:00:00Z"}}}`,
      200,
    ],
    ['20,000 levels', (url) => `{"url":"${url}","data":{"profile":${deep}}}`, 400],
    ['no profile', () => '{"url":"x"}', 400],
  ];

  it.each(bad)('%s harms no other one', async (what, body, status) => {
    const name = `shared-${what.replace(/\W/g, '')}`;
    const bodies = Array.from({ length: 20 }, (_, index) => JSON.stringify(profileBody(`${name}-${index}`)));
    bodies.splice(10, 0, body(`https://www.linkedin.com/in/${name}-bad`));
    const answers = await Promise.all(bodies.map((text) => app.deliver(text)));
    expect(answers.map((answer) => answer.status)).toEqual(bodies.map((_, index) => (index === 10 ? status : 200)));
    await eventually(async () => {
      const stored = await app.query<{ n: number }>(
        `select count(*)::int as n from warehouse.scraped_profile_calls where "requestResource" like $1`,
        [`${name.toLowerCase()}-%`],
      );
      expect(stored).toEqual([{ n: status === 200 ? 21 : 20 }]);
      // Waits until nothing is left to do, so that the next webhooks do not wait in the inbox.
      expect(await app.query('select id from open_delivery')).toEqual([]);
    });
  });
});

describe('a body nested too deep', () => {
  it('is refused with 400 before anything is done with it', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const url = 'https://www.linkedin.com/in/nested';
    const answer = await app.deliver(`{"url":"${url}","data":{"profile":{"name":"Jane","more":${deep}}}}`);
    expect(answer).toEqual({
      status: 400,
      body: {
        message: ['body must not be nested in more than 100 levels'],
        error: 'Bad Request',
        statusCode: 400,
      },
    });
    expect(await app.query(`select reason from unusable_payload where body::jsonb ->> 'url' = $1`, [url])).toEqual([]);
    expect(await calls('nested')).toEqual([]);
  });
});

describe('GET /profiles/:username/status', () => {
  it('shows the latest row, whatever the spelling of the handle', async () => {
    await app.deliver(profileBody('status-one', { name: 'First' }), { 'x-correlation-id': '2026-10.a' });
    await app.deliver(profileBody('status-one', { name: 'Second' }), { 'x-correlation-id': '2026-11.b' });
    // Storing may end after the answers.
    await eventually(async () => {
      const response = await fetch(`${app.url}/profiles/Status-One/status`, {
        headers: { authorization: `Bearer ${serviceToken}` },
      });
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({
        network_username: 'status-one',
        requestResource: 'status-one',
        requestType: 'SCRAPER_API_PERSON',
        requestStatus: 'SUCCESS',
        requestDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        responseData: profileBody('status-one', { name: 'Second' }),
      });
    });
  });

  it('is 404 for an unknown profile, and 400 for an invalid handle', async () => {
    const headers = { authorization: `Bearer ${serviceToken}` };
    expect((await fetch(`${app.url}/profiles/nobody-at-all/status`, { headers })).status).toBe(404);
    expect((await fetch(`${app.url}/profiles/a%20b/status`, { headers })).status).toBe(400);
  });
});

describe('POST /months/:month/profiles/lookup', () => {
  it('shows the best delivery of the month for which the scrape was requested', async () => {
    const failed = { url: 'https://www.linkedin.com/in/month-one', data: { profile: null, error: 'blocked' } };
    await app.deliver(profileBody('month-one'), { 'x-correlation-id': `${thisMonth}.first` });
    await app.deliver(failed, { 'x-correlation-id': `${thisMonth}.second` });
    await app.deliver(
      { ...failed, url: 'https://www.linkedin.com/in/month-two' },
      { 'x-correlation-id': `${thisMonth}.third` },
    );
    const lookup = async (body: unknown, month: string = thisMonth) => {
      const response = await fetch(`${app.url}/months/${month}/profiles/lookup`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${serviceToken}` },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as { profiles: unknown[] } };
    };
    // Progress is recorded just after the answer.
    await eventually(async () => {
      const { body } = await lookup({ network_usernames: ['month-one', 'month-two', 'month-three'] });
      expect(body.profiles).toEqual([
        {
          network_username: 'month-one',
          received_at: expect.any(String),
          request_status: 'SUCCESS',
          reason: null,
          stored: true,
          backed_up: true,
          correlation_id: `${thisMonth}.first`,
        },
        {
          network_username: 'month-two',
          received_at: expect.any(String),
          request_status: 'FAILED',
          reason: 'blocked',
          stored: true,
          backed_up: true,
          correlation_id: `${thisMonth}.third`,
        },
      ]);
    });
    expect((await lookup({ network_usernames: ['month-one'] }, '2026-01')).body.profiles).toEqual([]);
    expect((await lookup({ network_usernames: ['month-one'], since: '2099-01-01T00:00:00Z' })).body.profiles).toEqual(
      [],
    );
    expect((await lookup({ network_usernames: ['x'] }, '2026-13')).status).toBe(400);
    // ISO 8601, but nothing that Date reads.
    expect((await lookup({ network_usernames: ['x'], since: '2026-W48' })).status).toBe(400);
    expect((await lookup({ network_usernames: 'x' })).status).toBe(400);
    const spellings = ['https://www.linkedin.com/in/Month-One/', 'MONTH-ONE'];
    for (const spelling of spellings) {
      expect((await lookup({ network_usernames: [spelling] })).body.profiles).toHaveLength(1);
    }
    expect(await lookup({ network_usernames: ['month-one', '@month-one'] })).toMatchObject({
      status: 400,
      body: { message: ['network_usernames.1 must be the handle of a profile'] },
    });
  });
});

describe('health and documentation', () => {
  it('is served', async () => {
    expect(await (await fetch(`${app.url}/health`)).json()).toEqual({
      status: 'healthy',
      service: 'priority-webhook',
      environment: 'dev',
    });
    expect(await (await fetch(`${app.url}/ready`)).json()).toEqual({
      status: 'ready',
      service: 'priority-webhook',
      dependencies: { postgres: 'up', warehouse: 'up', object_store: 'up' },
    });
    expect((await fetch(`${app.url}/openapi.json`)).status).toBe(200);
  });

  it('a second replica recognises a repeat of the first', async () => {
    const other = await app.replica();
    const headers = { 'x-correlation-id': '2026-11.replicas' };
    await Promise.all(
      [app.url, other.url, app.url, other.url].map((url) => deliverTo(url, profileBody('replicas'), headers)),
    );
    expect(await calls('replicas')).toHaveLength(1);
    expect(await backups('replicas')).toHaveLength(1);
  });
});

describe('a body with many fields', () => {
  it('accepts a profile of 19,000 fields, and refuses one of 20,001 before it is parsed', async () => {
    const wide = (fields: number) => ({
      ...profileBody('wide'),
      ...Object.fromEntries(Array.from({ length: fields }, (_, index) => [`k${index}`, index])),
    });
    expect((await app.deliver(wide(19_000))).status).toBe(200);
    expect(await app.deliver(wide(20_001))).toMatchObject({
      status: 400,
      body: { message: ['body must not have more than 20000 fields and list entries'] },
    });
  });
});

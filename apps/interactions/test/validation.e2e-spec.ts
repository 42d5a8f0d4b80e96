import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { company, InteractionsWorld, person } from './interactions-app.js';

const trigger = '/scraper/network/interactions';
const abort = '/scraper/network/abort-run';

describe('validation', () => {
  let world: InteractionsWorld;
  beforeAll(async () => {
    world = await InteractionsWorld.start({
      settings: {
        MAX_TARGETS: '3',
        MAX_POSTS: '40',
        MAX_REACTIONS: '30',
        MAX_COMMENTS: '20',
        RUN_ITEMS_MAX: '50',
        RUN_CHARGE_USD_MAX: '1',
        BODY_LIMIT_BYTES: '20000',
      },
    });
  });
  afterAll(() => world.stop());

  const good = { user_company_id: 'acme', targets: [person('ada')] };

  describe.each([
    ['no targets', { ...good, targets: [] }, ['targets must contain at least 1 elements']],
    ['targets absent', { user_company_id: 'acme' }, ['targets must be an array']],
    ['targets null', { ...good, targets: null }, ['targets must be an array']],
    ['targets no list', { ...good, targets: person('ada') }, ['targets must be an array']],
    ['targets that are text', { ...good, targets: 'ada' }, ['targets must be an array']],
    ['a target that is text', { ...good, targets: ['ada'] }, ['targets.0 must be an object']],
    ['a target that is a list', { ...good, targets: [person('ada'), []] }, ['targets.1 must be an object']],
    ['a target that is null', { ...good, targets: [null] }, ['targets.0 must be an object']],
    ['a company that is absent', { targets: good.targets }, [/^user_company_id .*/]],
    ['a company that is a number', { ...good, user_company_id: 7 }, [/^user_company_id .*/]],
    ['a company that is blank', { ...good, user_company_id: '  ' }, [/^user_company_id .*/]],
    ['a NUL in the company', { ...good, user_company_id: 'a\u0000b' }, [/^user_company_id .*/]],
    ['a blank handle', { ...good, targets: [person(' \t ')] }, [/^targets\.0\.network_handle .*/]],
    ['a handle that is absent', { ...good, targets: [{ entity: 'PERSON' }] }, [/^targets\.0\.network_handle .*/]],
    ['a NUL in the handle', { ...good, targets: [person('a\u0000b')] }, [/^targets\.0\.network_handle .*/]],
    [
      'an entity in lower case',
      { ...good, targets: [person('a'), { network_handle: 'b', entity: 'person' }] },
      [/^targets\.1\.entity must be one of the following values: PERSON, COMPANY$/],
    ],
    ['an entity that is absent', { ...good, targets: [{ network_handle: 'a' }] }, [/^targets\.0\.entity .*/]],
    ['an unknown field', { ...good, shadow: 1 }, ['shadow should not exist']],
    [
      'an unknown field of a target',
      { ...good, targets: [{ ...person('a'), run_id: 'x' }] },
      ['targets.0.run_id should not exist'],
    ],
    ...[
      '..',
      '.',
      '*',
      '@ada',
      'a\u202Eb',
      'a\u200Bb',
      'a\nb',
      'a/b',
      'a b',
      'https://example.com/in/ada',
      'x'.repeat(101),
    ].map((handle): [string, object, RegExp[]] => [
      `the handle ${JSON.stringify(handle)}`,
      { ...good, targets: [person('ada'), person(handle)] },
      [/^targets\.1\.network_handle must be the handle of a person or company/],
    ]),
    [
      "the address of a company's page for a person",
      { ...good, targets: [person('https://www.linkedin.com/company/acme')] },
      [/^targets\.0\.network_handle must be the handle/],
    ],
    [
      'a target by its address and by its handle',
      { ...good, targets: [person('https://www.linkedin.com/in/Jos%C3%A9/?trk=x'), person('jose\u0301')] },
      ['targets.1 repeats the target of targets.0'],
    ],
    [
      'a handle of 18 kB of combining marks',
      { ...good, targets: [person(`a${'\u0315\u0300'.repeat(4_500)}`)] },
      [/^targets\.0\.network_handle .*/],
    ],
    [
      'a target twice',
      { ...good, targets: [person('ada'), company('ada'), person(' ADA ')] },
      ['targets.2 repeats the target of targets.0'],
    ],
  ])('%s', (_name, body, messages) => {
    it.each([trigger, abort])('is refused by %s with the path of the field', async (path) => {
      const answer = await world.post(path, body);
      expect(answer).toMatchObject({ status: 400, body: { error: 'Bad Request', statusCode: 400 } });
      const { message } = answer.body as { message: string[] };
      // One sentence for each broken rule, and none for rules that are not broken.
      expect(message).toEqual(messages.map((expected) => expect.stringMatching(expected)));
    });
  });

  it.each([
    ['posted_limit', 'year'],
    ['posted_limit', null],
    ['posted_limit', ['any']],
    ['max_posts', -1],
    ['max_posts', 1.5],
    ['max_posts', '10'],
    ['max_posts', null],
    ['max_posts', 2 ** 31],
    ['max_posts', 0],
    ['scrape_reactions', 'true'],
    ['scrape_reactions', 1],
    ['max_reactions', 0],
    ['max_reactions', true],
    ['scrape_comments', null],
    ['max_comments', 0],
    ['max_comments', '5'],
    ['comments_posted_limit', '3months'],
    ['trigger_user_id', 5],
    ['trigger_user_id', ''],
  ])('%s %j is refused', async (field, value) => {
    const answer = await world.post(trigger, { ...good, [field]: value });
    expect(answer).toMatchObject({ status: 400, body: { statusCode: 400, error: 'Bad Request' } });
    const { message } = answer.body as { message: string[] };
    expect(message).toEqual([expect.stringMatching(new RegExp(`^${field} must`))]);
  });

  it('max_posts 0 with posted_limit any is refused, whether "any" is sent or is the default', async () => {
    const explicit = await world.post(trigger, { ...good, max_posts: 0, posted_limit: 'any' });
    const implicit = await world.post(trigger, { ...good, max_posts: 0 });
    expect([explicit.status, implicit.status]).toEqual([400, 400]);
    expect((explicit.body as { message: string[] }).message[0]).toMatch(
      /^max_posts must not be 0 .* posted_limit is any/,
    );
  });

  it('several broken rules are reported at once, and nothing is recorded', async () => {
    const answer = await world.post(trigger, {
      targets: [{ network_handle: '', entity: 'X' }],
      max_posts: -1,
      extra: 1,
    });
    const { message } = answer.body as { message: string[] };
    const fields = message.map((line) => line.split(' ')[0]).sort();
    expect(fields).toEqual(['extra', 'max_posts', 'targets.0.entity', 'targets.0.network_handle', 'user_company_id']);
    expect(await world.tracker()).toEqual([]);
  });

  it('more targets than the setting allows are refused', async () => {
    const targets = ['a', 'b', 'c', 'd'].map(person);
    for (const path of [trigger, abort]) {
      expect(await world.post(path, { ...good, targets })).toMatchObject({
        status: 400,
        body: { message: ['targets must contain no more than 3 elements'] },
      });
    }
  });

  it('more posts, reactions or comments than the settings allow are refused, and the bound is named', async () => {
    const atBounds = { ...good, max_posts: 40, max_reactions: 30, max_comments: 20 };
    const above = { ...good, max_posts: 41, max_reactions: 31, max_comments: 2 ** 31 - 1 };
    expect(await world.post(trigger, above)).toMatchObject({
      status: 400,
      body: {
        message: [
          'max_posts must not be greater than 40',
          'max_reactions must not be greater than 30',
          'max_comments must not be greater than 20',
        ],
      },
    });
    expect(await world.tracker()).toEqual([]);
    expect((await world.post(trigger, { ...atBounds, targets: [person('at-bounds')] })).status).toBe(200);
    await world.finished();
    await world.empty();
  });

  it('an unlimited run ends at the limits of a run, which every start sends to the provider', async () => {
    const unlimited = { max_posts: 0, posted_limit: '6months', max_reactions: 30, max_comments: 20 };
    const { body } = await world.post(trigger, { ...good, ...unlimited, targets: [person('writes-daily')] });
    const [result] = (body as { results: { run_id: string }[] }).results;
    const run = (await (
      await fetch(`${world.simulator.url}/v2/actor-runs/${result!.run_id}`, {
        headers: { authorization: 'Bearer dev-only-provider-token' },
      })
    ).json()) as { data: { options: object } };
    expect(run.data.options).toMatchObject({ maxItems: 50, maxTotalChargeUsd: 1 });
    const [row] = await world.finished();
    const stored = row!.posts_count! + row!.reactions_count! + row!.comments_count!;
    expect(row!.status).toBe('COMPLETED');
    expect(stored).toBeGreaterThan(0);
    expect(stored).toBeLessThanOrEqual(50);
    await world.empty();
  });

  it.each([
    ['malformed JSON', '{"user_company_id": ', 'application/json', 400],
    ['a list', '[]', 'application/json', 400],
    ['another content type', 'user_company_id=acme', 'application/x-www-form-urlencoded', 415],
    ['a body over the limit', JSON.stringify({ ...good, x: 'x'.repeat(30_000) }), 'application/json', 413],
  ])('%s is refused with its status', async (_name, body, contentType, status) => {
    const answer = await world.post(trigger, body, { 'content-type': contentType });
    expect(answer).toMatchObject({ status, body: { statusCode: status } });
  });

  it('only company and targets are required; sent values and defaults reach the provider', async () => {
    await world.post(trigger, { ...good, targets: [person(' spaced ')] });
    await world.post(trigger, {
      user_company_id: 'acme',
      trigger_user_id: 'user-1',
      targets: [company('full')],
      posted_limit: '3months',
      max_posts: 0,
      scrape_reactions: false,
      max_reactions: 1,
      scrape_comments: false,
      max_comments: 2,
      comments_posted_limit: 'week',
    });
    const runs = await world.providerInputs();
    expect(runs['spaced']).toMatchObject({
      targetUrls: ['https://www.linkedin.com/in/spaced/'],
      postedLimit: 'any',
      maxPosts: 10,
      scrapeReactions: true,
      maxReactions: 5,
      scrapeComments: true,
      maxComments: 5,
      commentsPostedLimit: 'any',
    });
    expect(runs['full']).toMatchObject({
      targetUrls: ['https://www.linkedin.com/company/full/'],
      postedLimit: '3months',
      maxPosts: 0,
      scrapeReactions: false,
      maxReactions: 1,
      scrapeComments: false,
      maxComments: 2,
      commentsPostedLimit: 'week',
    });
    const rows = await world.finished();
    expect(rows.map((row) => [row.networkUsername, row.trigger_user_id])).toEqual([
      ['spaced', null],
      ['full', 'user-1'],
    ]);
  });

  it('a profile URL becomes its handle in the answer, the list and the input of the run', async () => {
    const answer = await world.post(trigger, {
      user_company_id: 'addresses',
      targets: [
        person('https://www.linkedin.com/in/Ada%2DLovelace/?originalSubdomain=uk'),
        company('linkedin.com/company/johnson-&-johnson/about/'),
      ],
    });
    expect(answer.body).toMatchObject({
      successful_count: 2,
      results: [{ network_handle: 'Ada-Lovelace' }, { network_handle: 'johnson-&-johnson' }],
    });
    const inputs = Object.values(await world.providerInputs()).flatMap((input) => input['targetUrls']);
    expect(inputs).toEqual(
      expect.arrayContaining([
        'https://www.linkedin.com/in/Ada-Lovelace/',
        'https://www.linkedin.com/company/johnson-%26-johnson/',
      ]),
    );
    for (const handle of ['ada-lovelace', 'https://uk.linkedin.com/in/ADA-LOVELACE']) {
      const listed = await world.get(
        `${trigger}?user_company_id=addresses&network_handle=${encodeURIComponent(handle)}`,
      );
      expect((listed.body as { interactions: unknown[] }).interactions).toHaveLength(1);
    }
    expect(await world.get(`${trigger}?network_handle=..`)).toMatchObject({
      status: 400,
      body: { message: [expect.stringMatching(/^network_handle must be the handle/)] },
    });
    await world.finished();
  });

  it('wrong methods are answered with 405, unknown paths with 404', async () => {
    const wrongMethod = await fetch(`${world.url}${abort}`);
    expect(wrongMethod.status).toBe(405);
    expect(wrongMethod.headers.get('allow')?.split(', ')).toContain('POST');
    expect((await fetch(`${world.url}/scraper/network/nothing`)).status).toBe(404);
  });
});

// Administration of dead letters over REST.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { profiles, serviceToken, startApp, type TestApp } from './priority-api-app.js';

interface Letter {
  id: string;
  message_id: string;
  reason: string;
  state: string;
  handled_by: string | null;
  drop_reason: string | null;
  content: unknown;
  content_kind: string;
  corrected_content: unknown;
  profiles_triggered: number;
  message: string[];
}

describe('administration of dead letters', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.close());

  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${app.url}/admin/dead-letters${path}`, {
      method,
      headers: {
        authorization: `Bearer ${serviceToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Letter };
  };
  const list = async (query = ''): Promise<Letter[]> => {
    const letters: Letter[] = [];
    let cursor = '';
    do {
      const { status, body } = await send('GET', `?limit=2${query}${cursor}`);
      expect(status).toBe(200);
      const page = body as unknown as { dead_letters: Letter[]; next_cursor: string | null };
      letters.push(...page.dead_letters);
      cursor = page.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`;
    } while (cursor !== '');
    return letters;
  };
  const bad = async (batch: Parameters<TestApp['push']>[0]): Promise<Letter> => {
    await app.push(batch);
    return (await list())[0]!;
  };
  const startsOf = (handle: string) =>
    app.simulator.ledger().filter(({ operation, target }) => operation === 'profile.start' && target === handle).length;

  it('shows what came, decoded, and why it could not be used', async () => {
    const json = await bad({ profiles: [], messageId: 'shown-json' });
    expect((await send('GET', `/${json.id}`)).body).toEqual({
      ...{ id: json.id, message_id: 'shown-json', reason: 'profiles must be a list with at least one profile' },
      ...{ deliveries: 1, state: 'open', handled_at: null, handled_by: null, drop_reason: null },
      ...{ first_received_at: expect.stringMatching(/Z$/), last_received_at: expect.stringMatching(/Z$/) },
      ...{ attributes: { batch_number: '7', total_batches: '9' }, content_kind: 'json', content: { profiles: [] } },
      corrected_content: null,
    });
    const text = await bad({ data: Buffer.from('no JSON').toString('base64') });
    expect((await send('GET', `/${text.id}`)).body).toMatchObject({ content_kind: 'text', content: 'no JSON' });
    const odd = await bad({ data: '!!!' });
    expect((await send('GET', `/${odd.id}`)).body).toMatchObject({ content_kind: 'not_decodable', content: '!!!' });
  });

  it('lists each once, latest first, and those that were handled only when asked', async () => {
    for (let count = 0; count < 3; count += 1) await bad({ profiles: [], messageId: `listed-${count}` });
    const open = await list();
    const ids = open.map(({ id }) => Number(id));
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect(new Set(ids).size).toBe(ids.length);
    await send('POST', `/${open[0]!.id}/drop`, { reason: 'a test' });
    expect((await list()).map(({ id }) => id)).not.toContain(open[0]!.id);
    expect(await list('&with_handled=true')).toContainEqual(
      expect.objectContaining({ id: open[0]!.id, state: 'dropped', handled_by: 'test', drop_reason: 'a test' }),
    );
  });

  it('receives a corrected message once, and says who corrected what', async () => {
    const letter = await bad({ profiles: [{ network_username: 'to-correct', person_id: 'x' }] });
    const content = { profiles: [{ ...profiles(1)[0], network_username: 'to-correct' }] };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => send('POST', `/${letter.id}/redrive`, { content })),
    );
    for (const { status } of answers) expect([200, 409]).toContain(status);
    expect(answers.map(({ status }) => status)).toContain(200);
    expect((await send('POST', `/${letter.id}/redrive`, { content })).status).toBe(409);
    expect((await send('GET', `/${letter.id}`)).body).toMatchObject({
      ...{ state: 'redriven', handled_by: 'test', corrected_content: content },
    });
    const [row] = await app.query<{ calls: number }>(
      `select count(*)::int as calls from profile_call where network_username = 'to-correct'`,
    );
    expect(row!.calls).toBe(1);
    expect(startsOf('to-correct')).toBeLessThanOrEqual(1);
  });

  it('takes corrected attributes, and keeps the others', async () => {
    const letter = await bad({
      profiles: profiles(1, 'attributed'),
      attributes: { batch_number: 'x', month: '2026-11' },
    });
    const answer = await send('POST', `/${letter.id}/redrive`, {
      attributes: { batch_number: '1', total_batches: '1' },
    });
    expect([answer.status, answer.body.state]).toEqual([200, 'redriven']);
    expect(await app.query(`select month from profile_call where network_username = 'attributed-0'`)).toEqual([
      { month: '2026-11' },
    ]);
  });

  it('refuses what still cannot be used, and keeps it open', async () => {
    const letter = await bad({ profiles: [], messageId: 'still-bad' });
    for (const [body, message] of [
      [{}, 'profiles must be a list with at least one profile'],
      [{ content: { profiles: [{ network_username: 'x', person_id: 'y' }] } }, 'person_id must be a UUID'],
      [{ content: { profiles: profiles(1) }, attributes: { month: '1999-01' } }, 'attributes.month'],
    ] as const) {
      const answer = await send('POST', `/${letter.id}/redrive`, body);
      expect([answer.status, answer.body.message.join()]).toEqual([400, expect.stringContaining(message)]);
    }
    expect((await send('GET', `/${letter.id}`)).body.state).toBe('open');
  });

  it('drops one once, with its reason', async () => {
    const letter = await bad({ profiles: [], messageId: 'to-drop' });
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => send('POST', `/${letter.id}/drop`, { reason: 'a test message' })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    expect((await send('POST', `/${letter.id}/redrive`, {})).status).toBe(409);
    // The same message again is counted, and stays dropped.
    await app.push({ profiles: [], messageId: 'to-drop' });
    expect((await send('GET', `/${letter.id}`)).body.state).toBe('dropped');
  });

  it.each<[string, string, unknown, number]>([
    ['GET', '/987654', undefined, 404],
    ['POST', '/987654/redrive', {}, 404],
    ['POST', '/987654/drop', { reason: 'x' }, 404],
    ['GET', '/x', undefined, 400],
    ['GET', '/%00', undefined, 400],
    ['GET', `/${'1'.repeat(19)}`, undefined, 400],
    ['POST', '/1/drop', {}, 400],
    ['POST', '/1/drop', { reason: null }, 400],
    ['POST', '/1/drop', { reason: ' ' }, 400],
    ['POST', '/1/drop', { reason: 'a\0' }, 400],
    ['POST', '/1/drop', { reason: 'x'.repeat(501) }, 400],
    ['POST', '/1/drop', '[]', 400],
    ['POST', '/1/redrive', { content: null }, 400],
    ['POST', '/1/redrive', { content: [] }, 400],
    ['POST', '/1/redrive', { attributes: { a: 1 } }, 400],
    ['POST', '/1/redrive', { attributes: [] }, 400],
    ['POST', '/1/redrive', { attributes: { forced_run_id: '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11' } }, 400],
    ['POST', '/1/redrive', { data: 'x' }, 400],
    ['GET', '?limit=0', undefined, 400],
    ['GET', '?cursor=x', undefined, 400],
    ['GET', '?with_handled=maybe', undefined, 400],
    ['GET', '?page=1', undefined, 400],
  ])('answers %s %s with %j by %i', async (method, path, body, status) => {
    expect((await send(method, path, body)).status).toBe(status);
  });
});

import { describe, expect, it } from '@jest/globals';
import { readBatch, type PushedMessage } from './batch-message.js';

const person = '6f1f3a52-7f0a-4a51-9d3c-0a5a7a0d0001';
const options = { profilesMax: 3, now: new Date('2026-11-21T00:00:00Z') };
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const message = (profiles: unknown, more: Partial<PushedMessage> = {}): PushedMessage => ({
  data: encode({ profiles }),
  attributes: { batch_number: '4', total_batches: '9' },
  ...more,
});
const batchOf = (given: PushedMessage) => {
  const reading = readBatch(given, options);
  if (reading.kind !== 'batch') throw new Error(reading.message);
  return reading.batch;
};

describe('readBatch', () => {
  it('reads profiles, numbers and month', () => {
    expect(
      batchOf(message([{ network_username: ' Ada ', person_id: person }], { publishTime: '2026-10-31T23:59:59.999Z' })),
    ).toEqual({
      month: '2026-10',
      generation: 'monthly',
      batchNumber: 4,
      totalBatches: 9,
      profiles: [{ networkUsername: 'ada', personId: person }],
      faults: [],
    });
  });

  it('takes the month of the run, else that of publishing, else the current one', () => {
    const profile = [{ network_username: 'ada', person_id: person }];
    const attributes = { batch_number: '4', total_batches: '9', month: '2026-01', forced_run_id: person };
    expect(batchOf(message(profile, { attributes, publishTime: '2026-10-31T00:00:00Z' }))).toMatchObject({
      month: '2026-01',
      generation: person,
    });
    expect(batchOf(message(profile)).month).toBe('2026-11');
    expect(batchOf(message(profile, { publishTime: 'never' })).month).toBe('2026-11');
  });

  it.each([
    ['2026-02-28T23:59:59.999Z', '2026-02'],
    ['2026-03-01T00:00:00.000Z', '2026-03'],
    ['2028-02-29T23:59:59.999Z', '2028-02'],
    ['2026-12-31T23:59:59.999Z', '2026-12'],
  ])('counts a message of %s to %s, though it arrives 2 s later or earlier by our clock', (publishTime, month) => {
    for (const offMs of [-2000, 0, 2000]) {
      const now = new Date(Date.parse(publishTime) + offMs);
      const given = message([{ network_username: 'ada', person_id: person }], { publishTime });
      expect(readBatch(given, { ...options, now })).toMatchObject({ batch: { month } });
    }
  });

  it('accepts batches that are counted from 0', () => {
    const attributes = { batch_number: '0', total_batches: '3' };
    expect(batchOf(message([{ network_username: 'ada', person_id: person }], { attributes }))).toMatchObject({
      batchNumber: 0,
      totalBatches: 3,
    });
  });

  it('accepts every UUID that PostgreSQL can hold, even of no RFC version', () => {
    const profile = { network_username: 'ada', person_id: '11111111-1111-1111-1111-111111111111' };
    expect(batchOf(message([profile])).faults).toEqual([]);
  });

  it('accepts both base64 alphabets, with and without padding', () => {
    const json = JSON.stringify({ profiles: [{ network_username: 'añb', person_id: person }], x: '>>>???' });
    for (const data of [Buffer.from(json).toString('base64'), Buffer.from(json).toString('base64url')]) {
      expect(batchOf(message([], { data })).profiles).toHaveLength(1);
    }
  });

  it('keeps the first of equal handles, and names the position of each fault', () => {
    const batch = batchOf(
      message([{ network_username: 'a', person_id: person }, { network_username: 'A', person_id: person }, null]),
    );
    expect(batch.profiles).toHaveLength(1);
    expect(batch.faults).toEqual(['profiles.2.network_username must be the handle of a profile']);
  });

  it.each([
    '..',
    '.',
    '*',
    '@ada',
    'a\u202Eb',
    'a\u200Bb',
    'a/b',
    'a b',
    'https://example.com/in/ada',
    'x'.repeat(101),
  ])('starts nothing for %j, which is no handle', (handle) => {
    const bad = { network_username: handle, person_id: person };
    const batch = batchOf(message([{ network_username: 'good', person_id: person }, bad]));
    expect(batch.profiles.map(({ networkUsername }) => networkUsername)).toEqual(['good']);
    expect(batch.faults).toEqual(['profiles.1.network_username must be the handle of a profile']);
    expect(readBatch(message([bad]), options)).toMatchObject({ kind: 'malformed', reason: 'profiles' });
  });

  it('reads the handle from a profile URL', () => {
    const url = 'https://www.linkedin.com/in/Jos%C3%A9/?trk=x';
    expect(batchOf(message([{ network_username: url, person_id: person }])).profiles).toEqual([
      { networkUsername: 'josé', personId: person },
    ]);
  });

  it('treats a payload that is nested too deep as malformed, however deep it is', () => {
    for (const levels of [101, 20_000, 200_000]) {
      const json = `{"profiles":${'['.repeat(levels)}${']'.repeat(levels)}}`;
      expect(readBatch(message([], { data: Buffer.from(json).toString('base64') }), options)).toEqual({
        kind: 'malformed',
        reason: 'json',
        message: 'message.data must hold JSON of at most 100 levels',
        batchNumber: 4,
      });
    }
  });

  it('refuses a whole message with more profiles than allowed', () => {
    const many = Array.from({ length: 4 }, (_, index) => ({ network_username: `p${index}`, person_id: person }));
    expect(readBatch(message(many), options)).toMatchObject({
      kind: 'malformed',
      reason: 'too_many_profiles',
      batchNumber: 4,
    });
  });
});

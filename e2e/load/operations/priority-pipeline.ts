// The monthly pipeline: pushes of batches, profile webhooks, and the report of the month.
import { randomUUID } from 'node:crypto';
import { call, until } from '../../src/http.js';
import { jsonRequest } from './json-request.js';
import type { LoadOperation } from './operation.types.js';

const profilesOfBatch = 5;
const runTimeoutMs = 120_000;
let handles = 0;
const handle = () => `load-${process.pid}-${(handles += 1)}`;

/** New profiles each time; the provider ends a scrape in half a second and has 32 slots for us. */
export const batchPush: LoadOperation = {
  name: `push of ${profilesOfBatch} profiles`,
  service: 'priority-api',
  p99MsMax: 2_000,
  p99MsMaxBeyond: 10_000,
  ratePerSecondMin: 2,
  soakPerSecond: 1,
  prepare: async () => ({
    request: () => {
      const profiles = Array.from({ length: profilesOfBatch }, () => ({
        network_username: handle(),
        person_id: randomUUID(),
      }));
      const data = Buffer.from(JSON.stringify({ profiles })).toString('base64');
      const attributes = { batch_number: '1', total_batches: '1' };
      return jsonRequest('/batch-trigger/', { message: { data, attributes, messageId: randomUUID() } });
    },
  }),
};

export const profileWebhook: LoadOperation = {
  name: 'profile webhook',
  service: 'priority-webhook',
  p99MsMax: 100,
  ratePerSecondMin: 100,
  soakPerSecond: 20,
  prepare: async () => ({
    request: () => {
      const profile = { name: 'Load Person', headline: 'Head of Data at Example Corp', location: 'Berlin, Germany' };
      return jsonRequest('/webhook/network', {
        url: `https://www.linkedin.com/in/${handle()}`,
        data: { profile },
      });
    },
  }),
};

export const monthReport: LoadOperation = {
  name: 'report of a month',
  service: 'coordinator',
  p99MsMax: 500,
  p99MsMaxBeyond: 2_000,
  ratePerSecondMin: 10,
  soakPerSecond: 1,
  async prepare({ urls }) {
    const month = new Date().toISOString().slice(0, 7);
    const { status } = await call('POST', `${urls.coordinator}/run`, { body: {} });
    if (status !== 202 && status !== 409) throw new Error(`the monthly run was answered ${status}`);
    const path = `/months/${month}/report?names=0`;
    await until('a report of the month', runTimeoutMs, async () =>
      (await call('GET', `${urls.coordinator}${path}`)).status === 200 ? true : undefined,
    );
    return { request: () => ({ method: 'GET', path }) };
  },
};

import { afterEach, expect, it } from '@jest/globals';
import { startSimulator } from '@tradewind/provider-simulator';
import { call } from '../../src/http.js';
import { LedgerCopy } from './ledger-copy.js';

const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function simulated(ledgerEntriesMax: number) {
  const simulator = await startSimulator({ ledgerEntriesMax, profileDurationMs: { min: 5, max: 20 } });
  open.push(simulator);
  simulator.setFaults([{ on: 'profile.webhook', kind: 'never' }]);
  const scrape = async (username: string) => {
    const body = { username, webhook_url: simulator.url };
    expect((await call('POST', `${simulator.url}/v1/profile-scrapes`, { body })).status).toBe(202);
    await simulator.settled();
  };
  return { scrape, copy: new LedgerCopy(simulator.url) };
}

it('keeps starts and ends that the simulator has dropped since', async () => {
  const { scrape, copy } = await simulated(10);
  const names = Array.from({ length: 12 }, (_, index) => `person-${index}`);
  for (const name of names) {
    await scrape(name);
    await copy.read();
  }
  const targets = (operation: string) =>
    copy.entries.filter((entry) => entry.operation === operation).map(({ target }) => target);
  expect(targets('profile.start')).toEqual(names);
  expect(targets('profile.ended')).toEqual(names);
});

it('fails when entries were dropped before it read them', async () => {
  const { scrape, copy } = await simulated(3);
  for (let number = 1; number <= 6; number += 1) await scrape(`person-${number}`);
  await expect(copy.read()).rejects.toThrow('dropped entries unread');
});

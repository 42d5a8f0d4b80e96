import { startSimulator, type Fault } from '@tradewind/provider-simulator';
import { freePort } from '@tradewind/testkit';
import { createProfileProvider } from '../src/index.js';
import { describeProfileProvider, type ProfileTrouble } from './profile-provider.contract.js';
import { testSettings } from './test-settings.js';
import { startWebhookReceiver } from './webhook-receiver.js';

const startFaults: Record<ProfileTrouble, Pick<Fault, 'kind' | 'retryAfterSeconds' | 'status'>> = {
  rate_limited: { kind: 'rate_limited', retryAfterSeconds: 7 },
  error_before: { kind: 'error_before' },
  error_after: { kind: 'error_after', status: 502 },
  timeout_after: { kind: 'timeout_after' },
  reset_after: { kind: 'reset_after' },
  bad_request: { kind: 'error_before', status: 400 },
};

describeProfileProvider('HTTP, on the simulator', async () => {
  const simulator = await startSimulator({ profileDurationMs: { min: 1, max: 10 } });
  const receiver = await startWebhookReceiver();
  const provider = createProfileProvider(testSettings(simulator.url));
  return {
    provider,
    unreachable: createProfileProvider(testSettings(`http://127.0.0.1:${await freePort()}`)),
    webhookUrl: receiver.url,
    webhooksOf: (id) => receiver.received.filter(({ headers }) => headers['x-correlation-id'] === id),
    troubleStart: (target, trouble) =>
      simulator.addFaults([{ on: 'profile.start', target, times: 1, ...startFaults[trouble] }]),
    failScrape: (target) => simulator.addFaults([{ on: 'profile', kind: 'fail', target }]),
    failNext: (on, times) => simulator.addFaults([{ on, kind: 'error_before', times }]),
    async fillSlots() {
      await simulator.settled();
      simulator.adjust({ maxConcurrentProfiles: 2 });
      simulator.addFaults([{ on: 'profile', kind: 'never_ends' }]);
      for (const correlationId of ['slot-1', 'slot-2']) {
        await provider.startProfile({
          networkUsername: 'slot',
          webhookUrl: receiver.url,
          webhookHeaders: {},
          correlationId,
        });
      }
    },
    startsOf: (correlationId) => simulator.ledger({ operation: 'profile.start', correlationId, effect: true }).length,
    async close() {
      await simulator.close();
      await receiver.close();
    },
  };
});

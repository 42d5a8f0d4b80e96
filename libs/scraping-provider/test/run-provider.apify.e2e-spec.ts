import { startSimulator, type Fault } from '@tradewind/provider-simulator';
import { freePort } from '@tradewind/testkit';
import { createRunProvider } from '../src/index.js';
import { describeRunProvider, type StartTrouble } from './run-provider.contract.js';
import { testSettings } from './test-settings.js';
import { startWebhookReceiver } from './webhook-receiver.js';

const startFaults: Record<StartTrouble, Pick<Fault, 'kind' | 'retryAfterSeconds' | 'status'>> = {
  rate_limited: { kind: 'rate_limited', retryAfterSeconds: 7 },
  no_capacity: { kind: 'no_capacity' },
  error_before: { kind: 'error_before' },
  error_after: { kind: 'error_after', status: 502 },
  timeout_after: { kind: 'timeout_after' },
  reset_after: { kind: 'reset_after' },
  bad_request: { kind: 'error_before', status: 400 },
};

describeRunProvider('Apify API, on the simulator', async () => {
  const simulator = await startSimulator({ runDurationMs: { min: 10, max: 40 }, abortDurationMs: 10 });
  const receiver = await startWebhookReceiver();
  return {
    provider: createRunProvider(testSettings(simulator.url)),
    unreachable: createRunProvider(testSettings(`http://127.0.0.1:${await freePort()}`)),
    webhookUrl: receiver.url,
    webhooksOf: (id) => receiver.received.filter(({ headers }) => headers['x-correlation-id'] === id),
    troubleStart: (target, trouble) =>
      simulator.addFaults([{ on: 'run.start', target, times: 1, ...startFaults[trouble] }]),
    failNext: (on, times) => simulator.addFaults([{ on, kind: 'error_before', times }]),
    calm: () => simulator.setFaults([]),
    keepRunning: (target) => simulator.addFaults([{ on: 'run', kind: 'never_ends', target }]),
    startsOf: (correlationId) => simulator.ledger({ operation: 'run.start', correlationId, effect: true }).length,
    async close() {
      await simulator.close();
      await receiver.close();
    },
  };
});

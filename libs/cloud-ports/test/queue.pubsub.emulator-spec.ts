import { PubSubQueue } from '../src/queue.pubsub.js';
import { ensurePubSubTopology } from '../src/topology.pubsub.js';
import { queueContract } from './contracts/queue.contract.js';
import { readDeadLetters } from './dead-letters.js';
import { pubSubEmulator } from './emulators.js';

const projectId = 'emulated';

queueContract("PubSubQueue on Google's emulator", async (pushEndpoint) => {
  const emulator = await pubSubEmulator();
  const topology = {
    projectId,
    apiEndpoint: emulator.address,
    // A topic of this run: the emulator may be one that others use too.
    topic: `batches-${Date.now()}`,
    subscription: `batches-push-${Date.now()}`,
    deadLetterTopic: `dead-letter-${Date.now()}`,
    pushEndpoint,
    pushAudience: pushEndpoint,
    pushServiceAccount: undefined,
    maxDeliveryAttempts: 5,
    backoffMsMin: 100,
    backoffMsMax: 400,
    ackDeadlineSeconds: 10,
  };
  await ensurePubSubTopology(topology);
  const entries = await ensurePubSubTopology(topology);
  if (entries.some(({ outcome }) => outcome !== 'matches')) throw new Error('a second run created something');
  const options = { projectId, pingTopic: topology.topic, apiEndpoint: emulator.address };
  const queue = new PubSubQueue(options);
  const replica = new PubSubQueue(options);
  return {
    queue,
    replica,
    topic: topology.topic,
    subscription: `projects/${projectId}/subscriptions/${topology.subscription}`,
    maxDeliveryAttempts: 5,
    ackDeadlineMs: 10_000,
    forgetsRepeats: false,
    // Two ways in which the emulator differs from Pub/Sub: it sends no deliveryAttempt, and 202 is no acknowledgement.
    countsAttempts: false,
    acknowledging: [200, 201, 204],
    deadLetters: () => readDeadLetters(topology),
    async close() {
      await Promise.all([queue.onApplicationShutdown(), replica.onApplicationShutdown()]);
      await emulator.stop();
    },
  };
});

import { PubSub, v1 } from '@google-cloud/pubsub';
import { clientOptions } from '../src/queue.pubsub.js';
import type { PubSubTopology } from '../src/topology.pubsub.js';

/** What waits in the subscription that keeps the dead letters. */
export async function readDeadLetters(
  topology: PubSubTopology,
): Promise<{ data: string; attributes: Record<string, string> }[]> {
  const pubsub = new PubSub(clientOptions(topology));
  const subscriber = new v1.SubscriberClient({ ...(await pubsub.getClientConfig()) });
  try {
    const [answer] = await subscriber.pull({
      subscription: `projects/${topology.projectId}/subscriptions/${topology.deadLetterTopic}`,
      maxMessages: 100,
    });
    return (answer.receivedMessages ?? []).map(({ message }) => ({
      data: Buffer.from(message?.data ?? '').toString('utf8'),
      attributes: message?.attributes ?? {},
    }));
  } finally {
    await Promise.all([subscriber.close(), pubsub.close()]);
  }
}

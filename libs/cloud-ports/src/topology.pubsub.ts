// Creates missing topics and subscriptions of Pub/Sub and compares the others with the settings, field by field. It
// never changes what exists: a wrong endpoint or audience is a mistake of the deployment that must be seen.
import { PubSub, v1 } from '@google-cloud/pubsub';
import { clientOptions } from './queue.pubsub.js';
import { TopologyMismatchError, type TopologyEntry } from './topology.js';

export interface PubSubTopology {
  projectId: string;
  topic: string;
  subscription: string;
  deadLetterTopic: string;
  pushEndpoint: string;
  pushAudience: string;
  /** Signs pushes. Undefined only against an emulator, which signs nothing. */
  pushServiceAccount: string | undefined;
  maxDeliveryAttempts: number;
  backoffMsMin: number;
  backoffMsMax: number;
  ackDeadlineSeconds: number;
  apiEndpoint?: string | undefined;
}

interface Duration {
  /** A number, its text, or a Long. */
  seconds?: unknown;
  nanos?: number | null;
}

/** The part of a subscription that the platform decides. */
interface Subscription {
  name?: string | null;
  topic?: string | null;
  ackDeadlineSeconds?: number | null;
  messageRetentionDuration?: Duration | null;
  expirationPolicy?: { ttl?: Duration | null } | null;
  pushConfig?: {
    pushEndpoint?: string | null;
    oidcToken?: { serviceAccountEmail?: string | null; audience?: string | null } | null;
  } | null;
  retryPolicy?: { minimumBackoff?: Duration | null; maximumBackoff?: Duration | null } | null;
  deadLetterPolicy?: { deadLetterTopic?: string | null; maxDeliveryAttempts?: number | null } | null;
}

const notFound = 5;
const alreadyExists = 6;

/** How long an undelivered message is kept: the longest that Google and the emulator allow without an exception. */
const retentionSeconds = 7 * 86_400;

/**
 * Topic, dead-letter topic, a pull subscription that keeps the dead letters, and the push subscription, in that order.
 * Safe to run twice and in parallel. Throws TopologyMismatchError with every difference found.
 * The service agent's rights (publish to the dead-letter topic, acknowledge on the subscription) belong to Terraform.
 */
export async function ensurePubSubTopology(wanted: PubSubTopology): Promise<TopologyEntry[]> {
  const pubsub = new PubSub(clientOptions(wanted));
  // The client's own types for its configuration and for its constructors differ in an index signature.
  const config = { ...(await pubsub.getClientConfig()) };
  const publisher = new v1.PublisherClient(config);
  const subscriber = new v1.SubscriberClient(config);
  try {
    const entries: TopologyEntry[] = [];
    const mismatches: string[] = [];
    for (const name of [wanted.topic, wanted.deadLetterTopic]) {
      const topic = `projects/${wanted.projectId}/topics/${name}`;
      const created = await createMissing(
        () => publisher.getTopic({ topic }),
        () => publisher.createTopic({ name: topic }),
      );
      entries.push({ resource: `topic ${name}`, outcome: created === undefined ? 'created' : 'matches' });
    }
    for (const subscription of [deadLetterSubscription(wanted), pushSubscription(wanted)]) {
      const existing = await createMissing(
        () => subscriber.getSubscription({ subscription: subscription.name }).then(([found]) => found),
        () => subscriber.createSubscription(subscription),
      );
      const resource = `subscription ${subscription.name.split('/').at(-1)}`;
      if (existing) mismatches.push(...differences(resource, subscription, existing));
      entries.push({ resource, outcome: existing === undefined ? 'created' : 'matches' });
    }
    if (mismatches.length > 0) throw new TopologyMismatchError(mismatches);
    return entries;
  } finally {
    await Promise.all([publisher.close(), subscriber.close(), pubsub.close()]);
  }
}

/** What existed before; undefined when this call created it. */
async function createMissing<T>(get: () => Promise<T>, create: () => Promise<unknown>): Promise<T | undefined> {
  try {
    return await get();
  } catch (error) {
    if (codeOf(error) !== notFound) throw error;
  }
  try {
    await create();
    return undefined;
  } catch (error) {
    // Another process was faster.
    if (codeOf(error) === alreadyExists) return get();
    throw error;
  }
}

function pushSubscription(wanted: PubSubTopology) {
  return {
    name: `projects/${wanted.projectId}/subscriptions/${wanted.subscription}`,
    topic: `projects/${wanted.projectId}/topics/${wanted.topic}`,
    ackDeadlineSeconds: wanted.ackDeadlineSeconds,
    messageRetentionDuration: { seconds: retentionSeconds },
    // Without this Pub/Sub deletes a subscription after a month without a delivery.
    expirationPolicy: {},
    pushConfig: {
      pushEndpoint: wanted.pushEndpoint,
      ...(wanted.pushServiceAccount
        ? { oidcToken: { serviceAccountEmail: wanted.pushServiceAccount, audience: wanted.pushAudience } }
        : {}),
    },
    retryPolicy: { minimumBackoff: duration(wanted.backoffMsMin), maximumBackoff: duration(wanted.backoffMsMax) },
    deadLetterPolicy: {
      deadLetterTopic: `projects/${wanted.projectId}/topics/${wanted.deadLetterTopic}`,
      maxDeliveryAttempts: wanted.maxDeliveryAttempts,
    },
  };
}

/** A topic without a subscription drops its messages, so the dead letters need one. People read it. */
function deadLetterSubscription(wanted: PubSubTopology) {
  return {
    name: `projects/${wanted.projectId}/subscriptions/${wanted.deadLetterTopic}`,
    topic: `projects/${wanted.projectId}/topics/${wanted.deadLetterTopic}`,
    expirationPolicy: {},
  };
}

function duration(milliseconds: number) {
  return { seconds: Math.floor(milliseconds / 1000), nanos: (milliseconds % 1000) * 1_000_000 };
}

function differences(resource: string, wanted: Subscription, found: Subscription): string[] {
  const fields: [string, (subscription: Subscription) => string | number | undefined][] = [
    ['topic', (each) => each.topic ?? undefined],
    ['push endpoint', (each) => each.pushConfig?.pushEndpoint || undefined],
    ['push service account', (each) => each.pushConfig?.oidcToken?.serviceAccountEmail || undefined],
    ['push audience', (each) => each.pushConfig?.oidcToken?.audience || undefined],
    ['ack deadline, seconds', (each) => each.ackDeadlineSeconds ?? undefined],
    ['message retention, seconds', (each) => seconds(each.messageRetentionDuration)],
    ['expiry, seconds', (each) => seconds(each.expirationPolicy?.ttl) ?? 'never'],
    ['shortest backoff, seconds', (each) => seconds(each.retryPolicy?.minimumBackoff)],
    ['longest backoff, seconds', (each) => seconds(each.retryPolicy?.maximumBackoff)],
    ['dead-letter topic', (each) => each.deadLetterPolicy?.deadLetterTopic || undefined],
    ['delivery attempts', (each) => each.deadLetterPolicy?.maxDeliveryAttempts || undefined],
  ];
  return fields.flatMap(([name, read]) => {
    const [expected, actual] = [read(wanted), read(found)];
    // A field without a setting may have any value.
    return expected === undefined || expected === actual
      ? []
      : [`${resource}: ${name} is ${shown(actual)}, the settings say ${shown(expected)}`];
  });
}

function seconds(value: Duration | null | undefined): number | undefined {
  if (!value) return undefined;
  return Number(value.seconds ?? 0) + (value.nanos ?? 0) / 1_000_000_000;
}

function shown(value: string | number | undefined): string {
  return value === undefined ? 'not set' : String(value);
}

function codeOf(error: unknown): number | undefined {
  return (error as { code?: number }).code;
}

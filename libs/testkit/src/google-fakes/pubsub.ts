// Pub/Sub on loopback, as far as this platform uses it: topics, publishing, push subscriptions with retry policy and
// dead letters, and pulling. It speaks gRPC, because the official client does; the service descriptions are the
// client's own, handed in by the test. State is memory.
import { setTimeout as delay } from 'node:timers/promises';
import type { sendUnaryData } from '@grpc/grpc-js';
import { backoffMs } from '@tradewind/shared-types';
import { createFaultPlan, type FaultPlan } from './fault-plan.js';
import { grpcStatus, startGrpcServer, statusError } from './grpc-server.js';

export interface FakePubSub {
  /** host:port for the client's `apiEndpoint`. */
  endpoint: string;
  /**
   * Methods are `Publish`, `GetTopic` and so on. The fault is a gRPC status, or `lost`: done, but answered UNAVAILABLE.
   */
  faults: FaultPlan<number | 'lost'>;
  /** Answers to Publish come this much later, milliseconds. */
  publishDelayMs: number;
  /** Every message ever published, by topic name. */
  published(topic: string): StoredMessage[];
  close(): Promise<void>;
}

export interface StoredMessage {
  messageId: string;
  data: string;
  attributes: Record<string, string>;
  publishedAt: Date;
}

interface FakePubSubOptions {
  /** `@google-cloud/pubsub/build/protos/protos.json`. */
  protos: object;
  /** Makes the token of a push whose subscription asks for one. */
  signToken?: (claims: { email: string; aud: string }) => string;
}

interface Duration {
  seconds?: string;
  nanos?: number;
}

interface Subscription {
  name: string;
  topic: string;
  ackDeadlineSeconds: number;
  pushConfig?: { pushEndpoint?: string; oidcToken?: { serviceAccountEmail: string; audience: string } };
  retryPolicy?: { minimumBackoff?: Duration; maximumBackoff?: Duration };
  deadLetterPolicy?: { deadLetterTopic: string; maxDeliveryAttempts: number };
}

/** Statuses that acknowledge a push. */
const acknowledging = new Set([102, 200, 201, 202, 204]);
const requestSizeBytesMax = 10_000_000;

export async function startFakePubSub(options: FakePubSubOptions): Promise<FakePubSub> {
  const topics = new Map<string, StoredMessage[]>();
  const subscriptions = new Map<string, Subscription>();
  const unpulled = new Map<string, StoredMessage[]>();
  const faults = createFaultPlan<number | 'lost'>();
  const closing = new AbortController();

  const publish = (topic: string, messages: StoredMessage[]) => {
    topics.get(topic)!.push(...messages);
    for (const subscription of subscriptions.values()) {
      if (subscription.topic !== topic) continue;
      for (const message of messages) {
        if (subscription.pushConfig?.pushEndpoint) void push(subscription, message);
        else unpulled.get(subscription.name)!.push(message);
      }
    }
  };

  async function push(subscription: Subscription, message: StoredMessage): Promise<void> {
    const { deadLetterPolicy, retryPolicy } = subscription;
    for (let attempt = 1; !closing.signal.aborted; attempt += 1) {
      if (await deliver(subscription, message, attempt)) return;
      if (deadLetterPolicy && attempt >= deadLetterPolicy.maxDeliveryAttempts) {
        const attributes = {
          ...message.attributes,
          CloudPubSubDeadLetterSourceDeliveryCount: String(attempt),
          CloudPubSubDeadLetterSourceSubscription: subscription.name.split('/').at(-1)!,
          CloudPubSubDeadLetterSourceSubscriptionProject: subscription.name.split('/')[1]!,
          CloudPubSubDeadLetterSourceTopicPublishTime: message.publishedAt.toISOString(),
        };
        publish(deadLetterPolicy.deadLetterTopic, [{ ...message, messageId: nextId(), attributes }]);
        return;
      }
      const range = {
        backoffMsMin: milliseconds(retryPolicy?.minimumBackoff),
        backoffMsMax: milliseconds(retryPolicy?.maximumBackoff),
      };
      await delay(backoffMs(attempt, range, 1), undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  async function deliver(subscription: Subscription, message: StoredMessage, attempt: number): Promise<boolean> {
    const { pushConfig, deadLetterPolicy } = subscription;
    const token =
      pushConfig?.oidcToken &&
      options.signToken?.({ email: pushConfig.oidcToken.serviceAccountEmail, aud: pushConfig.oidcToken.audience });
    const publishTime = message.publishedAt.toISOString();
    try {
      const response = await fetch(pushConfig!.pushEndpoint!, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
        body: JSON.stringify({
          ...(deadLetterPolicy ? { deliveryAttempt: attempt } : {}),
          subscription: subscription.name,
          message: {
            publishTime,
            data: message.data,
            publish_time: publishTime,
            messageId: message.messageId,
            attributes: message.attributes,
            message_id: message.messageId,
          },
        }),
        signal: AbortSignal.any([AbortSignal.timeout(subscription.ackDeadlineSeconds * 1000), closing.signal]),
      });
      await response.arrayBuffer();
      return acknowledging.has(response.status);
    } catch {
      return false;
    }
  }

  const methods: Record<string, (request: never) => unknown> = {
    CreateTopic: ({ name }: { name: string }) => {
      if (topics.has(name)) throw statusError(grpcStatus.ALREADY_EXISTS, `Topic already exists: ${name}`);
      topics.set(name, []);
      return { name };
    },
    GetTopic: ({ topic }: { topic: string }) => ({ name: found(topics, topic, 'Topic') && topic }),
    Publish: async (request: { topic: string; messages: { data: Buffer; attributes: Record<string, string> }[] }) => {
      found(topics, request.topic, 'Topic');
      if (request.messages.reduce((size, { data }) => size + data.length, 0) > requestSizeBytesMax) {
        throw statusError(grpcStatus.INVALID_ARGUMENT, 'The request is larger than 10 MB');
      }
      const publishedAt = new Date();
      const messages = request.messages.map(({ data, attributes }) => {
        if (data.length === 0 && Object.keys(attributes).length === 0) {
          throw statusError(grpcStatus.INVALID_ARGUMENT, 'A message has neither data nor attributes');
        }
        return { messageId: nextId(), data: data.toString('base64'), attributes, publishedAt };
      });
      publish(request.topic, messages);
      await delay(fake.publishDelayMs);
      return { messageIds: messages.map(({ messageId }) => messageId) };
    },
    CreateSubscription: (request: Subscription) => {
      if (subscriptions.has(request.name)) {
        throw statusError(grpcStatus.ALREADY_EXISTS, `Subscription already exists: ${request.name}`);
      }
      found(topics, request.topic, 'Topic');
      subscriptions.set(request.name, request);
      unpulled.set(request.name, []);
      return request;
    },
    GetSubscription: ({ subscription }: { subscription: string }) => found(subscriptions, subscription, 'Subscription'),
    Pull: ({ subscription, maxMessages }: { subscription: string; maxMessages: number }) => ({
      receivedMessages: found(unpulled, subscription, 'Subscription')
        .slice(0, maxMessages)
        .map(({ messageId, data, attributes }) => ({
          ackId: messageId,
          message: { messageId, data: Buffer.from(data, 'base64'), attributes },
        })),
    }),
    Acknowledge: ({ subscription, ackIds }: { subscription: string; ackIds: string[] }) => {
      const left = found(unpulled, subscription, 'Subscription').filter((each) => !ackIds.includes(each.messageId));
      unpulled.set(subscription, left);
      return {};
    },
  };

  const server = await startGrpcServer({
    protos: options.protos,
    services: ['google.pubsub.v1.Publisher', 'google.pubsub.v1.Subscriber'],
    methods: Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, unary(name, method, faults)])),
  });
  const fake: FakePubSub = {
    endpoint: server.endpoint,
    faults,
    publishDelayMs: 0,
    published: (topic) => [...topics].filter(([name]) => name.endsWith(`/topics/${topic}`)).flatMap(([, all]) => all),
    async close() {
      closing.abort();
      server.close();
    },
  };
  return fake;
}

function unary(name: string, method: (request: never) => unknown, faults: FaultPlan<number | 'lost'>) {
  return (call: { request: unknown }, callback: sendUnaryData<unknown>) => {
    const fault = faults.take(name);
    if (typeof fault === 'number') {
      callback(statusError(fault, `ordered failure of ${name}`));
      return;
    }
    Promise.resolve()
      .then(() => method(call.request as never))
      .then(
        (answer) =>
          fault === 'lost'
            ? callback(statusError(grpcStatus.UNAVAILABLE, 'the answer was lost'))
            : callback(null, answer),
        (error: unknown) => callback(error as Error),
      );
  };
}

function found<T>(map: Map<string, T>, name: string, kind: string): T {
  const value = map.get(name);
  if (value === undefined) throw statusError(grpcStatus.NOT_FOUND, `${kind} not found: ${name}`);
  return value;
}

function milliseconds(duration: Duration | undefined): number {
  return Number(duration?.seconds ?? 0) * 1000 + (duration?.nanos ?? 0) / 1_000_000;
}

let lastId = 0;
/** Digits, as Pub/Sub's own ids are. */
function nextId(): string {
  lastId += 1;
  return `${Date.now()}${String(lastId).padStart(6, '0')}`;
}

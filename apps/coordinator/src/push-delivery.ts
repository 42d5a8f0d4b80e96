import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { createPushDispatcher, type EmbeddedPushDispatcher, type PushDispatchEvent } from '@tradewind/cloud-ports';
import { Logger } from '@tradewind/service-kit';
import { profileBatchTopic } from '@tradewind/shared-types';
import { AppConfig } from './app.config.js';
import { AppEvents } from './events.js';

/**
 * With the embedded queue a serving coordinator delivers the messages too; on Google Cloud Pub/Sub does. Not with
 * BackgroundWork: the dispatcher takes the place of Pub/Sub, with a loop, retries and an end of its own.
 */
@Injectable()
export class PushDelivery implements OnModuleDestroy {
  private dispatcher: EmbeddedPushDispatcher | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly events: AppEvents,
    private readonly logger: Logger,
  ) {}

  async start(): Promise<void> {
    this.dispatcher = await createPushDispatcher(this.config, profileBatchTopic, (event) => this.report(event));
    this.dispatcher?.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.dispatcher?.stop();
  }

  private report(event: PushDispatchEvent): void {
    switch (event.kind) {
      case 'delivered':
        this.events.emit('push_delivered', {
          message_id: event.messageId,
          attempt: event.attempt,
          seconds: event.seconds,
        });
        return;
      case 'not_acknowledged':
        this.events.emit('push_failed', {
          message_id: event.messageId,
          attempt: event.attempt,
          reason: event.reason,
          given_up: event.retryInMs === undefined,
        });
        return;
      case 'queue_error':
        this.logger.warn({ err: event.error }, 'the queue does not answer; delivery is tried again');
    }
  }
}

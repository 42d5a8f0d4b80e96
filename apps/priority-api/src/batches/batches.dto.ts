import { ApiProperty } from '@nestjs/swagger';
import { ServiceError } from '@tradewind/shared-types';
import type { PushedMessage } from '../batch-message.js';

class PushedMessageDto {
  @ApiProperty({
    type: String,
    description: 'Base64 of `{"profiles": [{"network_username": text, "person_id": uuid}]}`',
    example: 'e30=',
  })
  data!: string;

  @ApiProperty({
    type: Object,
    description: 'Texts `batch_number` and `total_batches`',
    example: { batch_number: '1', total_batches: '12' },
  })
  attributes!: Record<string, string>;
}

/** The push envelope as the queue sends it; for the documentation. */
export class PushEnvelopeDto {
  @ApiProperty({ type: PushedMessageDto })
  message!: PushedMessageDto;
}

/**
 * The message in a push. The body is not checked against the class above, because queues add fields. What is wrong
 * inside a message is kept as a dead letter and acknowledged (batch-message.ts); validation would answer 400. A body
 * without a message comes from no queue and is refused, because there is nothing to keep.
 */
export function pushedMessage(body: unknown): PushedMessage {
  const message: unknown = typeof body === 'object' && body !== null && 'message' in body ? body.message : undefined;
  if (typeof message === 'object' && message !== null && !Array.isArray(message)) return message;
  throw new ServiceError({ code: 'request.invalid', status: 400, message: ['message must be an object'] });
}

/** Answer of `POST /batch-trigger/`. */
export class BatchTriggerAnswer {
  @ApiProperty({ type: String, enum: ['success'] })
  status!: 'success';

  @ApiProperty({
    type: Number,
    description: 'Profiles whose scraping this delivery has started; the rest of a batch is started in the background',
    example: 100,
  })
  profiles_triggered!: number;

  @ApiProperty({ type: Number, description: 'Number of the batch; 0 when the message names none', example: 1 })
  batch_number!: number;
}

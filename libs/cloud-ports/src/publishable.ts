import type { QueueMessage } from './queue.port.js';

/**
 * Pub/Sub's limit. Every queue applies it, so that a message that is too large fails on every machine.
 */
const dataSizeBytesMax = 10_000_000;

/** Throws a RangeError that says what is wrong with the message. */
export function assertPublishable(message: QueueMessage): void {
  const sizeBytes = Buffer.byteLength(message.data, 'utf8');
  if (sizeBytes > dataSizeBytesMax) {
    throw new RangeError(`a message holds at most ${dataSizeBytesMax} bytes, this one has ${sizeBytes}`);
  }
  if (sizeBytes === 0 && Object.keys(message.attributes).length === 0) {
    throw new RangeError('a message needs a body or an attribute');
  }
}

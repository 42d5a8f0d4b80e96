import fc from 'fast-check';
import { asRequest, withValue } from '../operations/sample-request.js';
import type { HostileClass } from './class.types.js';
import { hostileTexts } from './texts.js';

/** Long and odd text of every Unicode kind, in one field at a time. */
export const longText: HostileClass = {
  name: 'long text',
  isRefused: false,
  weight: 3,
  requests: (_service, { operations }) =>
    withValue(operations, fc.oneof(hostileTexts, fc.string({ unit: 'binary', maxLength: 300 }))).map(asRequest),
};

// Which bodies this app reads. Cloud Scheduler sends `application/octet-stream` by default, and an HTTP client may
// announce JSON and send nothing. So an empty body of any type starts the plain run. Any other body must be JSON,
// announced as JSON or as bytes.
import { parseJsonBody } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import type { FastifyInstance } from 'fastify';

const readTypes = /^\s*application\/(json|octet-stream)\s*(;|$)/i;

export function readRunBodies(instance: FastifyInstance): void {
  instance.removeContentTypeParser('application/json');
  instance.addContentTypeParser(['application/json', '*'], { parseAs: 'string' }, (request, body, done) => {
    // `parseAs: 'string'` gives a string.
    const text = body as string;
    if (text.trim() === '') return done(null, undefined);
    if (readTypes.test(request.headers['content-type'] ?? '')) return done(null, parseJsonBody(text));
    throw new ServiceError({
      code: 'request.unsupported_media_type',
      status: 415,
      message: 'The content type is not one that this address reads',
    });
  });
}

import { describe, expect, it } from '@jest/globals';
import { parseCompletionWebhook, parseCorrelationId } from './completion-webhook.js';

describe('parseCompletionWebhook', () => {
  it('reads the run id from the resource, otherwise from the event', () => {
    const eventType = 'ACTOR.RUN.SUCCEEDED';
    expect(parseCompletionWebhook({ eventType, resource: { id: 'a' }, eventData: { actorRunId: 'b' } })).toEqual({
      runId: 'a',
      eventType,
    });
    expect(parseCompletionWebhook({ eventType, eventData: { actorRunId: 'b' } })).toEqual({ runId: 'b', eventType });
  });

  it.each([
    undefined,
    null,
    'text',
    [],
    { resource: null },
    { eventType: 'E', resource: { id: 'a b' } },
    { eventType: 'E', resource: { id: 'x'.repeat(201) } },
  ])('refuses %j', (body) => expect(() => parseCompletionWebhook(body)).toThrow(/resource\.id/));
});

describe('parseCorrelationId', () => {
  it('accepts a UUID in upper or lower case', () => {
    expect(parseCorrelationId('5F0C1B6E-9D3A-4C52-8A80-2F6E0F4F7A11')).toBe('5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11');
  });

  it.each([undefined, '', 'x', ['5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11'], "'; drop table x; --"])(
    'takes %j as absent',
    (header) => {
      expect(parseCorrelationId(header)).toBeUndefined();
    },
  );
});

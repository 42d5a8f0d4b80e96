import { expect, it } from '@jest/globals';
import { correlationIdOf, pageUrl, toActorInput } from './actor-input.js';
import type { RunInput } from './run-provider.port.js';

const input: RunInput = {
  networkHandle: 'ada',
  entity: 'PERSON',
  postedLimit: 'week',
  maxPosts: 0,
  scrapeReactions: false,
  maxReactions: 5,
  scrapeComments: true,
  maxComments: 7,
  commentsPostedLimit: '24h',
};

it('passes every limit to the actor, with our own id', () => {
  const actorInput = toActorInput(input, { networkUrl: 'https://network.example', correlationId: 'job-1' });
  expect(actorInput).toEqual({
    targetUrls: ['https://network.example/in/ada/'],
    postedLimit: 'week',
    maxPosts: 0,
    includeQuotePosts: true,
    includeReposts: true,
    scrapeReactions: false,
    maxReactions: 5,
    scrapeComments: true,
    maxComments: 7,
    commentsPostedLimit: '24h',
    correlationId: 'job-1',
  });
  expect(correlationIdOf(actorInput)).toBe('job-1');
});

it('finds no id in an input of somebody else', () => {
  expect(correlationIdOf({ targetUrls: [], correlationId: 7 })).toBeUndefined();
});

it('a handle cannot change the path of the URL', () => {
  expect(pageUrl('https://network.example/', 'COMPANY', '../in/x?y#z')).toBe(
    'https://network.example/company/..%2Fin%2Fx%3Fy%23z/',
  );
});

import { describe, expect, it } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { failureOf } from './failures.js';

const executing = (thrown: Error) => new GraphQLError(thrown.message, { originalError: thrown });

describe('an execution that failed', () => {
  it('is answered 503 when the database ended the connection, as everywhere', () => {
    const lost = Object.assign(new Error('terminating connection due to unexpected postmaster exit'), {
      code: '57P01',
    });
    expect(failureOf([executing(lost)])?.failure).toMatchObject({ status: 503, retryAfterSeconds: 5 });
  });

  it('is answered 500 for a bug, with a neutral sentence', () => {
    const bug = new TypeError('x is not a function');
    expect(failureOf([executing(bug)])?.failure).toMatchObject({ status: 500, publicMessage: 'Internal server error' });
  });

  it('stays a GraphQL error for a fault of the caller', () => {
    const fault = new GraphQLError('no such value', { extensions: { code: 'BAD_USER_INPUT' } });
    expect(failureOf([executing(fault)])).toBeUndefined();
  });
});

import { describe, expect, it } from '@jest/globals';
import type { GraphQLResolveInfo } from 'graphql';
import { ChargedDataCalls } from './data-calls.js';

// Fields without arguments, in an operation without variables.
const info = { fieldNodes: [{}], operation: {} } as unknown as GraphQLResolveInfo;
const call = { args: {}, info, variableArguments: [] };

describe('ChargedDataCalls', () => {
  it('charges the calls of one turn together', async () => {
    const charged: number[] = [];
    const calls = new ChargedDataCalls(undefined, async (cost) => void charged.push(cost));
    const understood = await Promise.all(['a', 'b'].map((value) => calls.admit(call, async () => value)));
    expect({ understood, charged }).toEqual({ understood: ['a', 'b'], charged: [2] });
  });

  it('refuses a call that comes while the first is being understood, or after the charge', async () => {
    const charged: number[] = [];
    const calls = new ChargedDataCalls(undefined, async (cost) => void charged.push(cost));
    const assertRefused = () =>
      expect(calls.admit(call, async () => 'late')).rejects.toThrow('after its operation was admitted');
    await calls.admit(call, assertRefused);
    await assertRefused();
    expect(charged).toEqual([1]);
  });
});

import fc from 'fast-check';
import { marker } from '../request/fuzz-request.js';
import { takingJson, withBodyText } from '../operations/sample-request.js';
import type { HostileClass } from './class.types.js';

/** Deeper than the limit of 100 levels. */
const depths = [101, 150, 1_000, 5_000, 20_000, 100_000, 240_000];

const shapes: Record<string, (depth: number) => string> = {
  list: (depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`,
  object: (depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
  mixed: (depth) => `${'[{"a":'.repeat(depth / 2)}"${marker}"${'}]'.repeat(depth / 2)}`,
  unclosedList: (depth) => '['.repeat(depth),
  unclosedObject: (depth) => '{"a":'.repeat(depth),
};

/** JSON nested past the limit: the whole body, or a further field of it. */
export const deepJson: HostileClass = {
  name: 'deep JSON',
  isRefused: true,
  requests: (_service, { operations }) => {
    const withJson = takingJson(operations);
    if (withJson.length === 0) return undefined;
    return fc
      .record({
        shape: fc.constantFrom(...Object.values(shapes)),
        depth: fc.constantFrom(...depths),
        isField: fc.boolean(),
      })
      .chain(({ shape, depth, isField }) =>
        withBodyText(withJson, (json) =>
          isField && json.length > 2 ? `${json.slice(0, -1)},"more":${shape(depth)}}` : shape(depth),
        ),
      );
  },
};

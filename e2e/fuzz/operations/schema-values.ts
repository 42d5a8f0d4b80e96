// Values that a JSON schema of an OpenAPI document describes.
import fc, { type Arbitrary } from 'fast-check';
import { marker } from '../request/fuzz-request.js';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  pattern?: string;
  example?: unknown;
  nullable?: boolean;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  additionalProperties?: boolean | Schema;
}

/** Lists are short: length is a matter of other classes. */
const itemsMax = 3;

export function valuesOf(schema: Schema, named: Record<string, Schema>): Arbitrary<unknown> {
  if (schema.nullable) return fc.option(valuesOf({ ...schema, nullable: false }, named), { freq: 5 });
  if (schema.$ref !== undefined) return valuesOf(named[schema.$ref.split('/').at(-1) ?? ''] ?? {}, named);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return fc.oneof(...choices.map((choice) => valuesOf(choice, named)));
  if (schema.allOf) return fc.oneof(...schema.allOf.map((part) => valuesOf(part, named)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch ([schema.type].flat()[0]) {
    case 'object':
      return objects(schema, named);
    case 'array': {
      const { minItems: minLength = 0, maxItems = itemsMax } = schema;
      const maxLength = Math.max(minLength, Math.min(maxItems, itemsMax));
      return fc.array(valuesOf(schema.items ?? {}, named), { minLength, maxLength });
    }
    case 'integer':
    case 'number':
      return fc.oneof(
        fc.integer({
          min: schema.minimum ?? -5,
          max: Math.max(schema.minimum ?? 0, Math.min(schema.maximum ?? 50, 50)),
        }),
        fc.constantFrom(0, -1, 2 ** 31, 1.5, Number.MAX_SAFE_INTEGER),
      );
    case 'boolean':
      return fc.boolean();
    case 'string':
      return texts(schema);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objects(schema: Schema, named: Record<string, Schema>): Arbitrary<unknown> {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return fc.dictionary(fc.constantFrom('a', 'b', 'name'), fc.jsonValue({ maxDepth: 1 }));
  return fc.record(Object.fromEntries(properties.map(([name, value]) => [name, valuesOf(value, named)])), {
    requiredKeys: schema.required ?? [],
  });
}

function texts({ format, example }: Schema): Arbitrary<string> {
  const own = `${marker}-text`;
  const choices: Arbitrary<string>[] = [fc.constant(own), fc.string({ maxLength: 20 })];
  if (typeof example === 'string') choices.push(fc.constant(example), fc.constant(example));
  if (format === 'uuid') choices.push(fc.uuid(), fc.uuid());
  if (format === 'date-time') choices.push(fc.constant('2026-01-31T10:00:00.000Z'));
  return fc.oneof(...choices);
}

// From a sample to a request, and the places in a sample where something else can be put.
import fc, { type Arbitrary } from 'fast-check';
import type { HttpRequest } from '../request/fuzz-request.js';
import type { Operation, Sample } from './operation.types.js';

/** Names and indexes from the sample down to one value. */
type Place = (string | number)[];

export function samplesOf(operations: readonly Operation[]): Arbitrary<Sample> {
  return fc.oneof(...operations.map(({ samples }) => samples));
}

/** Samples in which one value, drawn from all, is replaced. */
export function withValue(operations: readonly Operation[], values: Arbitrary<unknown>): Arbitrary<Sample> {
  return fc.tuple(samplesOf(operations), fc.nat(1000), values).map(([sample, index, value]) => {
    const places = ['params', 'query', 'body'].flatMap((part) => placesIn(sample[part as 'body'], [part]));
    const place = places[index % Math.max(1, places.length)];
    return place === undefined ? sample : replaced(sample, place, value);
  });
}

/** Samples whose body is an object, as JSON text in which `edit` changes something. */
export function withBodyText(
  operations: readonly Operation[],
  edit: (json: string, sample: Sample) => string,
): Arbitrary<HttpRequest> {
  return samplesOf(operations)
    .filter(({ body, isForm }) => typeof body === 'object' && body !== null && !isForm)
    .map((sample) => ({ ...asRequest(sample), body: edit(JSON.stringify(sample.body), sample) }));
}

/** Whether any operation takes JSON; `withBodyText` needs one. */
export function takingJson(operations: readonly Operation[]): Operation[] {
  return operations.filter(({ samples }) =>
    fc.sample(samples, { numRuns: 5, seed: 1 }).some(({ body, isForm }) => body !== undefined && !isForm),
  );
}

export function asRequest(sample: Sample): HttpRequest {
  const { service, method, params, query, isForm, body } = sample;
  const path = sample.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(params[name]) || '-');
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encodeURIComponent(name)}=${encoded(one)}`),
  );
  const headers = { ...sample.headers };
  if (body !== undefined) {
    headers['content-type'] = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  }
  return {
    ...{ kind: 'http', service, method, path: pairs.length > 0 ? `${path}?${pairs.join('&')}` : path, headers },
    ...(body === undefined ? {} : { body: isForm ? formOf(body) : JSON.stringify(body) }),
  };
}

function formOf(body: unknown): string {
  return Object.entries(Object(body) as object)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encoded(value)}`)
    .join('&');
}

const loneSurrogate = /\p{Surrogate}/u;

/** Percent-encoded; lone surrogates as the bytes that a careless client would send. */
function encoded(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  if (!loneSurrogate.test(text)) return encodeURIComponent(text);
  return [...text]
    .map((character) => {
      if (!loneSurrogate.test(character)) return encodeURIComponent(character);
      const unit = character.charCodeAt(0);
      return [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)]
        .map((byte) => `%${byte.toString(16)}`)
        .join('');
    })
    .join('');
}

function placesIn(value: unknown, at: Place): Place[] {
  if (typeof value !== 'object' || value === null) return value === undefined ? [] : [at];
  return Object.entries(value).flatMap(([name, inner]) => placesIn(inner, [...at, name]));
}

function replaced<T>(whole: T, [name, ...rest]: Place, value: unknown): T {
  if (name === undefined) return value as T;
  const copy = (Array.isArray(whole) ? [...(whole as unknown[])] : { ...whole }) as Record<string | number, unknown>;
  copy[name] = replaced(copy[name], rest, value);
  return copy as T;
}

// The kinds of settings a service can have: how a value is read, which values are secret, and which are unfit for a
// deployed environment.
import { isIP } from 'node:net';
import type { Environment } from './environment.js';

/** What is wrong with a well-formed but unsafe value; undefined when it is safe. */
export type SafetyRule<T> = (value: T) => string | undefined;

export interface SettingOptions<T> {
  /** Meaning and unit, one sentence; shown in the configuration tables and in the message when the setting is wrong. */
  desc: string;
  example?: string;
  /** Used when the variable is unset or empty. `default: undefined` makes the setting optional. */
  default?: T | undefined;
  /** Replaces `default` in these environments. */
  defaultIn?: Partial<Record<Environment, T>>;
  /** The default in `dev`. Staging and production refuse to start with this value or without one. */
  devDefault?: T;
  /** Checked in production. */
  productionRule?: SafetyRule<T>;
  /** Checked in staging and production. */
  deployedRule?: SafetyRule<T>;
  /** Makes an optional setting required, depending on the other values. */
  requiredWhen?: (values: Record<string, unknown>) => boolean;
}

/** A setting as `configClass` of the service kit reads it. */
export interface Setting<T> {
  /** The value of a text that is not empty. @throws with what it must be, for the operator */
  parse: (input: string) => T;
  desc?: string;
  example?: string;
  default?: unknown;
  defaultIn?: Partial<Record<Environment, unknown>>;
  devDefault?: unknown;
  requiredWhen?: (values: Record<string, unknown>) => boolean | undefined;
  secret?: boolean;
  /** Between the secrets of a setting that may hold several; each is judged by secret-rules.ts. */
  separator?: string;
  // A method, not a property: settings of every type fit into one record.
  productionRule?(value: unknown): string | undefined;
  deployedRule?(value: unknown): string | undefined;
  /** Values in words for the configuration tables, such as `integer, at least 1`. */
  kind?: string;
}

/** The value type that a specification yields: `default: undefined` makes it optional. */
export type ValueOf<S> = S extends { parse: (input: string) => infer T }
  ? S extends { default: undefined }
    ? T | undefined
    : T
  : never;

type Made<T, O> = Setting<T> & Pick<O, Extract<keyof O, 'default'>>;

function make<T, O extends SettingOptions<T>>(
  options: O,
  kind: string,
  parse: (input: string) => T,
  extra: { secret?: boolean; separator?: string } = {},
): Made<T, O> {
  // The rules of SettingOptions take a T; a Setting takes whatever its own `parse` made, which is a T.
  return { ...options, ...extra, kind, parse };
}

/** Any text, or one that satisfies `pattern` as a whole. */
export function str<O extends SettingOptions<string> & { pattern?: RegExp }>(options: O): Made<string, O> {
  const { pattern } = options;
  return make(options, 'text', (input) => {
    if (pattern && !pattern.test(input)) throw new Error(`must match ${String(pattern)}, not "${input}"`);
    return input;
  });
}

/** A whole number within limits, both included. */
export function integer<O extends SettingOptions<number> & { min?: number; max?: number }>(
  options: O,
): Made<number, O> {
  return make(options, `integer${range(options)}`, (input) => {
    if (!/^-?\d+$/.test(input.trim())) throw new Error(`must be an integer, not "${input}"`);
    return withinRange(Number(input), options);
  });
}

/** A number within limits, both included. */
export function number<O extends SettingOptions<number> & { min?: number; max?: number }>(options: O): Made<number, O> {
  return make(options, `number${range(options)}`, (input) => {
    const value = Number(input);
    if (input.trim() === '' || !Number.isFinite(value)) throw new Error(`must be a number, not "${input}"`);
    return withinRange(value, options);
  });
}

/** `true`, `false`, `1`, `0`, `yes` or `no`. */
export function bool<O extends SettingOptions<boolean>>(options: O): Made<boolean, O> {
  return make(options, 'true or false', (input) => {
    const word = input.trim().toLowerCase();
    if (['true', '1', 'yes', 'on'].includes(word)) return true;
    if (['false', '0', 'no', 'off'].includes(word)) return false;
    throw new Error(`must be true or false, not "${input}"`);
  });
}

/** An absolute URL, kept as text without a slash at its end, unless `keepsSlash` says that it is part of the path. */
export function url<O extends SettingOptions<string> & { keepsSlash?: boolean }>(options: O): Made<string, O> {
  return make(options, 'URL', (input) => {
    if (!URL.canParse(input))
      throw new Error(`must be an absolute URL, not "${input.replace(/\/\/[^/@]*@/, '//***@')}"`);
    return options.keepsSlash ? input : input.replace(/\/+$/, '');
  });
}

/** Text that no log, message or table ever shows. With a `separator` it may hold several secrets. */
export function secret<O extends SettingOptions<string> & { separator?: string }>(options: O): Made<string, O> {
  return make(options, 'secret', (input) => input, { secret: true });
}

/** An absolute URL that may hold credentials, and is therefore secret. */
export function secretUrl<O extends SettingOptions<string>>(options: O): Made<string, O> {
  const parse = (input: string) => {
    if (!URL.canParse(input)) throw new Error('must be an absolute URL');
    return input;
  };
  return make(options, 'secret URL', parse, { secret: true });
}

/** One of the given words. */
export function choice<const T extends string>(
  choices: readonly T[],
): <O extends SettingOptions<T>>(options: O) => Made<T, O>;
export function choice<const T extends string, O extends SettingOptions<T>>(
  choices: readonly T[],
  options: O,
): Made<T, O>;
export function choice<T extends string>(choices: readonly T[], options?: SettingOptions<T>) {
  const kind = choices.map((word) => `\`${word}\``).join(', ');
  const parse = (input: string): T => {
    const found = choices.find((word) => word === input);
    if (found === undefined) throw new Error(`must be one of ${choices.join(', ')}, not "${input}"`);
    return found;
  };
  const setting = (given: SettingOptions<T>) => make<T, SettingOptions<T>>(given, kind, parse);
  return options ? setting(options) : setting;
}

/** Words separated by commas; blanks around them and empty words are dropped. */
export function list<O extends SettingOptions<string[]> & { secret?: boolean }>(options: O): Made<string[], O> {
  const kind = options.secret ? 'secrets separated by commas' : 'words separated by commas';
  return make(
    options,
    kind,
    (input) =>
      input
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== ''),
    { separator: ',' },
  );
}

/** Origins of pages, as browsers send them: scheme, host and port, without a path. `*` is none. */
export function origins<O extends SettingOptions<string[]>>(options: O): Made<string[], O> {
  return make(options, 'origins separated by commas', (input) => {
    const words = input
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '');
    const wrong = words.find((word) => !/^https?:/.test(word) || URL.parse(word)?.origin !== word);
    if (wrong === undefined) return words;
    throw new Error(`must be origins such as https://console.example.com, without a path, not "${wrong}"`);
  });
}

/** As Fastify takes it: `true`, `false`, a number of hops, or addresses, networks and their common names. */
export function trustedProxies<O extends SettingOptions<string>>(options: O): Made<string, O> {
  return make(options, '`true`, `false`, a number, or networks separated by commas', (input) => {
    const words = input.split(',').map((word) => word.trim());
    const isOneWord = words.length === 1 && /^(true|false|\d)$/.test(words[0]!);
    const unknown = isOneWord ? undefined : words.find((word) => !isNetwork(word));
    if (unknown === undefined) return words.join(',');
    throw new Error(`must be true, false, a number of hops, or addresses and networks, not "${unknown}"`);
  });
}

/**
 * No network of proxies is larger than 10.0.0.0/8 or fd00::/8. Much larger ones would trust everybody, as `true` does.
 */
const trustedBitsMin = 8;

function isNetwork(word: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(word)) return true;
  const [address = '', bits, ...rest] = word.split('/');
  const bitsMax = { 4: 32, 6: 128 }[isIP(address)];
  if (bitsMax === undefined || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= trustedBitsMin && Number(bits) <= bitsMax);
}

/** Safety rule: plain http is refused. */
export const httpsOnly: SafetyRule<string | undefined> = (value) =>
  value === undefined || value.startsWith('https://') ? undefined : 'must start with https://';

function range({ min, max }: { min?: number; max?: number }): string {
  if (min !== undefined && max !== undefined) return `, ${min} to ${max}`;
  if (min !== undefined) return `, at least ${min}`;
  if (max !== undefined) return `, at most ${max}`;
  return '';
}

function withinRange(value: number, { min, max }: { min?: number; max?: number }): number {
  if (min !== undefined && value < min) throw new Error(`must be at least ${min}, not ${value}`);
  if (max !== undefined && value > max) throw new Error(`must be at most ${max}, not ${value}`);
  return value;
}

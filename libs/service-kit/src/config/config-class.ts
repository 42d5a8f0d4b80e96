import { maskText } from '../mask-secrets.js';
import { baseSettings } from './base-settings.js';
import { developmentSecrets, secretFaults } from './secret-rules.js';
import type { Setting, ValueOf } from '@tradewind/shared-types';

export type Settings = Record<string, Setting<unknown>>;
type Values<S> = { readonly [K in keyof S]: ValueOf<S[K]> };
type Base = typeof baseSettings;

/** Values that every service has, with the derived ones filled in. */
export type BaseValues = Omit<Values<Base>, 'HOST' | 'METRICS_PORT'> & {
  readonly HOST: string;
  readonly METRICS_PORT: number;
};

/* eslint-disable @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-empty-object-type --
   The values are properties assigned from the settings; the interface is how the class gets to have them. */
/**
 * The settings that the kit reads. Every AppConfig is one, and the kit also provides the app's instance under this
 * token, so that libraries can inject it.
 */
export abstract class ServiceConfig {
  /** Names of settings that have a development value. */
  readonly developmentSettings: readonly string[] = [];
}
export interface ServiceConfig extends BaseValues {}
/* eslint-enable @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-empty-object-type */

/** Every fault of the configuration. `message` is for the operator and shows no secret. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly { setting: string; fault: string }[]) {
    const width = Math.max(...faults.map(({ setting }) => setting.length));
    const lines = faults.map(({ setting, fault }) => `  ${setting.padEnd(width)}  ${fault}`);
    super(`${faults.length === 1 ? 'One setting is' : `${faults.length} settings are`} wrong:\n${lines.join('\n')}`);
    this.name = 'ConfigError';
  }
}

export interface ConfigClass<S> {
  /** Reads this environment, or throws a ConfigError that names every fault. */
  new (env?: Record<string, string | undefined>): ServiceConfig & Omit<Values<S>, keyof BaseValues>;
  /** All settings with the base settings. The configuration tables are generated from them. */
  readonly settings: Settings;
}

/**
 * The base class of an app's AppConfig: a readonly property for each setting and each base setting.
 * An empty variable counts as unset. The class is its own injection token.
 *
 * @example
 * export class AppConfig extends configClass({
 *   CODE_TTL_SECONDS: integer({ default: 60, min: 1, desc: 'Life of an authorization code, seconds' }),
 * }) {}
 */
export function configClass<const S extends Settings>(own: S): ConfigClass<S> {
  const settings: Settings = { ...baseSettings, ...own };
  class Config extends ServiceConfig {
    static readonly settings = settings;
    override readonly developmentSettings: readonly string[];
    constructor(env: Record<string, string | undefined> = process.env) {
      super();
      const { values, developmentSettings } = readSettings(settings, env);
      Object.assign(this, withDerivedValues(values));
      this.developmentSettings = developmentSettings;
    }
    /** For logs: secrets are masked. */
    toJSON(): Record<string, unknown> {
      return Object.fromEntries(
        Object.entries(this).map(([name, value]) => [
          name,
          settings[name]?.secret && value !== undefined ? '***' : maskedValue(value),
        ]),
      );
    }
  }
  // Object.assign gives the instance its values; the type says so.
  return Config as unknown as ConfigClass<S>;
}

/** Even a setting that is not secret may hold an address with credentials. */
function maskedValue(value: unknown): unknown {
  return typeof value === 'string' ? maskText(value) : value;
}

function readSettings(settings: Settings, env: Record<string, string | undefined>) {
  const faults: { setting: string; fault: string }[] = [];
  const values: Record<string, unknown> = {};
  const developmentSettings: string[] = [];
  // An unknown environment is treated as production, so that all other faults are reported with it.
  const isDev = env['ENVIRONMENT'] === 'dev';
  const isProduction = !isDev && env['ENVIRONMENT'] !== 'staging';
  const development = developmentSecrets(settings);
  const environment = isDev ? 'dev' : isProduction ? 'production' : 'staging';

  for (const [name, setting] of Object.entries(settings)) {
    const report = (fault: string) => faults.push({ setting: name, fault: `${fault}${explanation(setting)}` });
    const raw = env[name] === '' ? undefined : env[name];
    if (raw === undefined) {
      if (isDev && setting.devDefault !== undefined) {
        values[name] = setting.devDefault;
        developmentSettings.push(name);
      } else if ('default' in setting) {
        values[name] = setting.defaultIn?.[environment] ?? setting.default;
      } else {
        report('is missing');
      }
    } else {
      try {
        values[name] = setting.parse(raw);
      } catch (error) {
        // The parser's message may quote the value.
        report(setting.secret || !(error instanceof Error) ? 'is malformed' : maskText(error.message));
        continue;
      }
      if (!isDev && setting.secret) {
        const faults = secretFaults(setting, raw, development);
        for (const fault of faults) report(fault);
        if (faults.length > 0) continue;
      }
      if (!isDev && setting.devDefault !== undefined && sameValue(values[name], setting.devDefault)) {
        report('is the development value, which is public');
      }
    }
    const value = values[name];
    if (value === undefined) continue;
    const unsafe = (!isDev && setting.deployedRule?.(value)) || (isProduction && setting.productionRule?.(value));
    if (unsafe) report(unsafe);
  }
  for (const [name, setting] of Object.entries(settings)) {
    if (values[name] !== undefined || !('default' in setting)) continue;
    if (setting.requiredWhen?.(values)) faults.push({ setting: name, fault: `is missing${explanation(setting)}` });
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return { values, developmentSettings };
}

function withDerivedValues(values: Record<string, unknown>): Record<string, unknown> {
  const port = values['PORT'] as number;
  return {
    ...values,
    HOST: values['HOST'] ?? (values['ENVIRONMENT'] === 'dev' ? '127.0.0.1' : '0.0.0.0'),
    METRICS_PORT: values['METRICS_PORT'] ?? (port === 0 ? 0 : port + 1000),
  };
}

function explanation({ desc, example }: Setting<unknown>): string {
  if (!desc) return '';
  return ` (${desc}${example ? `; for example ${example}` : ''})`;
}

function sameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

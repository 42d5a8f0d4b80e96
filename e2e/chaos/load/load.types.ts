import type { Random } from '@tradewind/provider-simulator';
import type { ServiceName } from '../../src/service-names.js';
import type { EndedAccess, Result, Told, ToldEntry } from '../log/log.types.js';
import type { LoadClient } from './load-client.js';
import type { Months } from './months.js';

export interface Account {
  email: string;
  password: string;
  /** Keys made so far, newest last. */
  keys: string[];
}

/** What an operator ended, and how it is tried again. */
export interface Ended {
  kind: EndedAccess;
  subject: string;
  /** `refused` is what must come in the end. */
  attempt: (context: LoadContext) => Promise<Result>;
}

export interface LoadContext {
  client: LoadClient;
  random: Random;
  /** Writes down what the load was told. */
  tell: (entry: Told) => void;
  /** A text that no other act uses; the same in every run of the seed as far as the acts are. */
  unique: (prefix: string) => string;
  accounts: readonly Account[];
  /** What operators ended, newest last. */
  ended: Ended[];
  months: Months;
  /** Runs an operator command of a service. `unknown`: it failed, and may have had its effect. */
  command: (service: ServiceName, words: readonly string[], input?: string) => Promise<'ok' | 'unknown'>;
  /** Address of the provider simulator, without the proxy. */
  simulatorUrl: string;
  /** Address of the issuer, as it names itself. */
  issuer: string;
  /** Ends with the load, so that nobody waits for more. */
  signal: AbortSignal;
}

/** A kind of load: a file in this folder and a line in all-loads.ts. */
export interface LoadKind {
  name: string;
  /** One thing that a caller does, with all its requests. It throws only for faults of the harness. */
  act(context: LoadContext): Promise<void>;
  /** After the faults: what the caller still has to do or to look up. */
  close?(context: LoadContext, told: readonly ToldEntry[]): Promise<void>;
}

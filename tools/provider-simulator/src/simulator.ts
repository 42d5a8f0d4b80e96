import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { Readable } from 'node:stream';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import fastify, { type FastifyInstance } from 'fastify';
import { registerControlApi } from './control-api.js';
import { Faults, type Fault } from './faults.js';
import type { ItemCounts } from './item.types.js';
import { Journal } from './journal.js';
import { Ledger, type LedgerEntry, type LedgerQuery, type LedgerSummary } from './ledger.js';
import { registerProfileApi } from './profile-api.js';
import { Profiles } from './profiles.js';
import { ProviderCalls } from './provider-call.js';
import { registerRunApi } from './run-api.js';
import { Runs } from './runs.js';
import { defaultSettings, type SimulatorSettings } from './settings.js';
import { WebhookDispatcher } from './webhooks.js';

export interface SimulatorOptions extends Partial<SimulatorSettings> {
  /** 0, the default, takes a free port. */
  port?: number;
  /** Default 127.0.0.1. */
  host?: string;
}

/** A simulator in this process; for tests. */
export interface Simulator {
  /** Without a slash at the end; the `PROVIDER_BASE_URL` of the services. */
  url: string;
  port: number;
  setFaults(faults: readonly Fault[]): void;
  addFaults(faults: readonly Fault[]): void;
  adjust(changes: Partial<SimulatorSettings>): void;
  /** All entries that match, oldest first. */
  ledger(query?: Omit<LedgerQuery, 'afterSeq' | 'limit'>): LedgerEntry[];
  summary(): LedgerSummary & { pendingWebhooks: number };
  /** What the dataset of a finished run holds. */
  itemCounts(runId: string): ItemCounts | undefined;
  /** Resolves when nothing is active and no webhook is on its way; rejects after the time given. */
  settled(timeoutMs?: number): Promise<void>;
  /** Drops faults, ledger, runs, scrapes and deliveries, and restores the settings of the start. */
  reset(): void;
  close(): Promise<void>;
}

const bodyLimitBytes = 10 * 1024 * 1024;

export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { port = 0, host = '127.0.0.1', ...overrides } = options;
  const initial: SimulatorSettings = { ...defaultSettings, ...overrides };
  let current = initial;
  const settings = () => current;

  const faults = new Faults(initial.seed);
  const ledger = new Ledger(initial.ledgerEntriesMax);
  const journal = new Journal(initial.stateFile, initial.finishedMax);
  const webhooks = new WebhookDispatcher(settings, faults, ledger, journal);
  const runs = new Runs(settings, faults, ledger, webhooks, journal);
  const profiles = new Profiles(settings, faults, ledger, webhooks, journal);
  const calls = new ProviderCalls(settings, faults, ledger);
  const adjust = (changes: Partial<SimulatorSettings>) => {
    current = { ...current, ...changes };
  };
  const halt = () => {
    calls.reset();
    runs.reset();
    profiles.reset();
    webhooks.reset();
  };
  const reset = () => {
    halt();
    current = initial;
    faults.replace([]);
    ledger.reset();
    journal.reset();
  };

  // Keep-alive longer than any client keeps a free socket, so that no request meets a socket that is being closed.
  const app = fastify({ bodyLimit: bodyLimitBytes, forceCloseConnections: true, keepAliveTimeout: 120_000 });
  readCompressedJson(app);
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ error: { type: 'record-not-found', message: 'There is nothing here' } }),
  );
  registerRunApi(app, { runs, faults, calls });
  registerProfileApi(app, { profiles, faults, calls });
  registerControlApi(app, { faults, ledger, pendingWebhooks: () => webhooks.pendingCount, reset });
  await app.listen({ port, host });
  const recalled = journal.recall();
  runs.resume(recalled.runs);
  profiles.resume(recalled.scrapes);
  const bound = (app.server.address() as AddressInfo).port;

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    setFaults: (list) => faults.replace(list),
    addFaults: (list) => faults.add(list),
    adjust,
    ledger(query = {}) {
      const entries: LedgerEntry[] = [];
      for (let afterSeq: number | undefined; ;) {
        const page = ledger.page({ ...query, afterSeq, limit: 10_000 });
        entries.push(...page.entries);
        if (page.nextAfterSeq === null) return entries;
        afterSeq = page.nextAfterSeq;
      }
    },
    summary: () => ({ ...ledger.summary(), pendingWebhooks: webhooks.pendingCount }),
    itemCounts(runId) {
      const run = runs.find(runId);
      return run && runs.itemCounts(run);
    },
    async settled(timeoutMs = 10_000) {
      const deadlineMs = performance.now() + timeoutMs;
      while (runs.activeCount > 0 || profiles.activeCount > 0 || webhooks.pendingCount > 0) {
        if (performance.now() > deadlineMs) {
          throw new Error(
            `not settled: ${runs.activeCount} runs, ${profiles.activeCount} profiles, ${webhooks.pendingCount} webhooks`,
          );
        }
        await delay(5);
      }
    },
    reset,
    async close() {
      halt();
      webhooks.close();
      await app.close();
      journal.close();
    },
  };
}

/** The official client compresses bodies from 1 KB; an empty body is an empty object. */
function readCompressedJson(app: FastifyInstance): void {
  const decoders: Record<string, (data: Buffer) => Promise<Buffer>> = {
    br: promisify(brotliDecompress),
    gzip: promisify(gunzip),
    deflate: promisify(inflate),
  };
  app.addHook('preParsing', async (request, _reply, payload) => {
    const decode = decoders[request.headers['content-encoding'] ?? ''];
    if (!decode) return payload;
    const chunks: Buffer[] = [];
    for await (const chunk of payload) chunks.push(chunk as Buffer);
    const decoded = await decode(Buffer.concat(chunks));
    // Fastify compares this header with the bytes that it reads from the stream.
    request.headers['content-length'] = String(decoded.length);
    return Readable.from([decoded]);
  });
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, text === '' ? {} : JSON.parse(text as string));
    } catch {
      done(Object.assign(new Error('The body is not JSON'), { statusCode: 400 }));
    }
  });
  // An abort without a body is sent as a form. Other bodies contain nothing that is read.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, {}));
}

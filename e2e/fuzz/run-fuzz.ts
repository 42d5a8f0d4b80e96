// A run: first the classes that must be refused, then the others. The services are tested side by side. Each gets one
// request after the other, so a late answer or a held event loop has one cause.
import { performance } from 'node:perf_hooks';
import fc, { type Arbitrary } from 'fast-check';
import { allClasses } from './classes/all-classes.js';
import type { HostileClass } from './classes/class.types.js';
import { operationsOf } from './operations/all-operations.js';
import { asCommand, type FuzzRequest } from './request/fuzz-request.js';
import { Sender } from './request/send.js';
import { requestRules, runRules } from './rules/all-rules.js';
import { refusedWriteNothing } from './rules/refused-write-nothing.js';
import type { RunContext, RunRule } from './rules/rule.types.js';
import { Meter } from '../src/meter.js';
import { serviceNames, type ServiceName } from '../src/service-names.js';
import type { Target } from '../src/target.types.js';

export interface FuzzOptions {
  requests: number;
  seed: number;
  /** Only the class of this name. */
  only?: string;
  /** Only operations whose name has this text, such as `/account`. */
  at?: string;
  report?: (line: string) => void;
  /** Milliseconds that only rise; those of the machine by default. */
  nowMs?: () => number;
  /** What work that began before the run may still take to end, milliseconds. */
  settleMs?: number;
}

export interface FuzzResult {
  /** Requests of each class to each service, without repeats for measuring and shrinking. */
  sent: { hostileClass: string; service: ServiceName; requests: number }[];
  /** How often each service answered with each status; `none` where the connection ended. */
  statuses: Map<ServiceName, Map<number | 'none', number>>;
  findings: string[];
  meters: ReadonlyMap<ServiceName, Meter>;
}

/** Attempts to find a smaller request with the same fault. */
const shrinksMax = 150;
/** How many requests a rule can look back at. */
const earlierMax = 100;
const settleMsDefault = 1_500;

interface Share {
  hostileClass: HostileClass;
  service: ServiceName;
  requests: Arbitrary<FuzzRequest>;
  count: number;
}

export async function runFuzz(target: Target, options: FuzzOptions): Promise<FuzzResult> {
  const { report = () => undefined, seed, nowMs = () => performance.now(), settleMs = settleMsDefault } = options;
  const sender = new Sender(target, { run: seed.toString(36).padStart(6, '0').slice(-6), nowMs });
  const context: RunContext = { target, sender, meters: Meter.all(target), settleMs };
  const result: FuzzResult = { sent: [], statuses: new Map(), findings: [], meters: context.meters };
  const shares = sharesOf(target, options);
  const inPhase = (isRefused: boolean) => shares.filter(({ hostileClass }) => hostileClass.isRefused === isRefused);
  const found = (finding: string) => {
    report(finding);
    result.findings.push(finding);
  };
  try {
    await underRules(runRules, { context, found }, async () => {
      const runPhase = (phase: readonly Share[]) => runShares(phase, { context, seed, result, found, report });
      await underRules([refusedWriteNothing], { context, found }, () => runPhase(inPhase(true)));
      await runPhase(inPhase(false));
    });
  } finally {
    sender.close();
  }
  return result;
}

function sharesOf(target: Target, { requests: total, only, at }: FuzzOptions): Share[] {
  const drawn = serviceNames
    .filter((service) => target.urls[service] !== undefined)
    .flatMap((service) => {
      const operations = operationsOf(service, target).filter(({ name }) => name.includes(at ?? ''));
      if (operations.length === 0) return [];
      return allClasses
        .filter(({ name }) => only === undefined || name === only)
        .flatMap((hostileClass) => {
          const requests = hostileClass.requests(service, { operations, target });
          return requests === undefined ? [] : [{ hostileClass, service, requests }];
        });
    });
  const weights = drawn.reduce((sum, { hostileClass: { weight = 1 } }) => sum + weight, 0);
  return drawn.map((share) => ({
    ...share,
    count: Math.max(1, Math.round((total * (share.hostileClass.weight ?? 1)) / weights)),
  }));
}

async function underRules(
  rules: readonly RunRule[],
  { context, found }: { context: RunContext; found: (finding: string) => void },
  run: () => Promise<void>,
): Promise<void> {
  const ends = [];
  for (const rule of rules) ends.push({ rule, end: await rule.begin(context) });
  await run();
  for (const { rule, end } of ends) for (const finding of await end()) found(`${rule.name}: ${finding}`);
}

interface Run {
  context: RunContext;
  seed: number;
  result: FuzzResult;
  found: (finding: string) => void;
  report: (line: string) => void;
}

async function runShares(shares: readonly Share[], run: Run): Promise<void> {
  await Promise.all(
    serviceNames.map(async (service) => {
      for (const share of shares.filter((one) => one.service === service)) await runShare(share, run);
    }),
  );
}

async function runShare({ hostileClass, service, requests, count }: Share, run: Run): Promise<void> {
  const { context, seed, result, found, report } = run;
  const earlier: FuzzRequest[] = [];
  let sent = 0;
  let shrinks = 0;
  let hasFailed = false;
  const property = fc.asyncProperty(requests, async (request) => {
    if (hasFailed) shrinks += 1;
    else sent += 1;
    if (shrinks > shrinksMax) return;
    const answer = await context.sender.send(request);
    const statuses = result.statuses.get(service) ?? new Map<number | 'none', number>();
    const status = answer.status ?? 'none';
    result.statuses.set(service, statuses.set(status, (statuses.get(status) ?? 0) + 1));
    const exchange = { ...context, request, answer, mustBeRefused: hostileClass.isRefused, earlier };
    for (const rule of requestRules) {
      const sentence = await rule.check({ ...exchange, isShrinking: hasFailed });
      if (sentence === undefined) continue;
      hasFailed = true;
      throw new Error(`${rule.name}: ${sentence}`);
    }
    await context.meters.get(service)?.countRequest(hostileClass.name);
    earlier.push(request);
    if (earlier.length > earlierMax) earlier.splice(0, 1);
  });
  const details = await fc.check(property, { seed, numRuns: count, maxSkipsPerRun: 1_000 });
  result.sent.push({ hostileClass: hostileClass.name, service, requests: sent });
  report(`${hostileClass.name} at ${service}: ${sent} requests${details.failed ? ', one failed' : ''}`);
  const smallest = details.counterexample?.[0];
  if (smallest === undefined) return;
  const fault = details.errorInstance instanceof Error ? details.errorInstance.message : 'failed';
  const again = asCommand(smallest, context.target.urls[service] ?? '');
  found(`${hostileClass.name} at ${service}, seed ${seed}: ${fault}\n  ${again}`);
}

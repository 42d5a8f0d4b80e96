export type { CallFaultKind, CallOperation, EventFaultKind, Fault } from './faults.js';
export { contentSum, sumOfSums } from './content-sum.js';
export type { ItemCounts, ItemSums } from './item.types.js';
export type { LedgerEntry, LedgerOperation, LedgerPage, LedgerQuery, LedgerSummary } from './ledger.js';
export type { StartedTwice, StartSummary } from './start-counters.js';
export { profileOf, type Profile } from './people.js';
export { Random } from './random.js';
export type { DurationRange, SimulatorSettings } from './settings.js';
export { startSimulator, type Simulator, type SimulatorOptions } from './simulator.js';

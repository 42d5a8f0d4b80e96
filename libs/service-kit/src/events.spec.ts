import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { eventsClass } from './events.js';
import { createLogger } from './logger.js';
import { Metrics } from './metrics.js';

class ExampleEvents extends eventsClass('priority-example', {
  run_started: { help: 'Runs started', labels: ['entity'] },
  items_stored: { help: 'Items, by kind', labels: ['kind'], countedBy: 'count' },
  data_stored: { help: 'Items stored', histogram: { field: 'seconds', buckets: [1, 10] }, level: 'debug' },
}) {}

describe('eventsClass', () => {
  afterEach(() => void jest.useRealTimers());

  it('feeds the log, the counter and the histogram from one call, and reads gauges when scraped', async () => {
    const lines: string[] = [];
    const logger = createLogger({ service: 'example', level: 'info' }, { write: (line) => void lines.push(line) });
    const metrics = new Metrics();
    const events = new ExampleEvents(logger, metrics);
    events.gauge('queue_length', 'Messages waiting', async () => 5);
    events.emit('run_started', { entity: 'POST', run_id: 'run-1' });
    events.emit('run_started', { entity: 'POST', run_id: 'run-2' });
    events.emit('data_stored', { seconds: 4 });
    for (const count of [3, 0, 4]) events.emit('items_stored', { kind: 'post', count });

    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ event: 'run_started', entity: 'POST', run_id: 'run-1', message: 'run_started' }),
      expect.objectContaining({ run_id: 'run-2' }),
      expect.objectContaining({ count: 3 }),
      expect.objectContaining({ count: 0 }),
      expect.objectContaining({ count: 4 }),
    ]);
    // A counter may count what one event is about.
    expect(await metrics.text()).toContain('tradewind_priority_example_items_stored_total{kind="post"} 7');
    const text = await metrics.text();
    expect(text).toContain('tradewind_priority_example_run_started_total{entity="POST"} 2');
    expect(text).toContain('tradewind_priority_example_data_stored_seconds_bucket{le="10"} 1');
    expect(text).toContain('tradewind_priority_example_queue_length 5');
    expect(text).not.toContain('run-1');
  });

  it('counts a duration as 0 when the clock went back meanwhile', async () => {
    const metrics = new Metrics();
    const events = new ExampleEvents(createLogger({ service: 'example', level: 'silent' }), metrics);
    events.emit('data_stored', { seconds: 4 });
    events.emit('data_stored', { seconds: -5 });
    expect(await metrics.text()).toMatch(/data_stored_seconds_sum 4\n.*data_stored_seconds_count 2/);
  });

  it('serves the other metrics when the source of a gauge fails', async () => {
    const metrics = new Metrics();
    const events = new ExampleEvents(createLogger({ service: 'example', level: 'silent' }), metrics);
    events.gauge('queue_length', 'Messages waiting', async () => {
      throw new Error('the database is down');
    });
    events.emit('run_started', { entity: 'POST' });
    const text = await metrics.text();
    expect(text).toContain('tradewind_priority_example_queue_length Nan');
    expect(text).toContain('tradewind_priority_example_run_started_total{entity="POST"} 1');
  });

  it('reads a source that is slower than scrapes come once at a time', async () => {
    const metrics = new Metrics();
    const events = new ExampleEvents(createLogger({ service: 'example', level: 'silent' }), metrics);
    let reads = 0;
    let answer: (value: number) => void = () => undefined;
    events.gauge('queue_length', 'Messages waiting', () => {
      reads += 1;
      return new Promise((resolve) => (answer = resolve));
    });
    const [, second] = [metrics.text(), metrics.text()];
    await Promise.resolve();
    answer(7);
    expect(await second).toContain('tradewind_priority_example_queue_length 7');
    expect(reads).toBe(1);
  });

  it('reads a costly source now and then, and shows its last value until the next one is there', async () => {
    jest.useFakeTimers();
    const metrics = new Metrics();
    const events = new ExampleEvents(createLogger({ service: 'example', level: 'silent' }), metrics);
    const answers: ((value: number | Promise<never>) => void)[] = [];
    const read = () => new Promise<number>((resolve) => answers.push(resolve));
    events.gauge('largest_share', 'Largest share', read, { everyMs: 60_000 });
    const shown = async () => /^tradewind_priority_example_largest_share (.*)$/m.exec(await metrics.text())![1];
    const shownLate = async () => {
      const text = shown();
      await jest.advanceTimersByTimeAsync(2_000);
      return text;
    };
    expect(await shownLate()).toBe('Nan');
    answers[0]!(0.5);
    await jest.advanceTimersByTimeAsync(0);
    expect(await shown()).toBe('0.5');
    await jest.advanceTimersByTimeAsync(59_000);
    expect(await shown()).toBe('0.5');
    expect(answers).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await shownLate()).toBe('0.5');
    answers[1]!(Promise.reject(new Error('the database is down')));
    await jest.advanceTimersByTimeAsync(0);
    // It failed, so the next scrape reads again.
    const next = shown();
    await jest.advanceTimersByTimeAsync(0);
    answers[2]!(0.75);
    expect(await next).toBe('0.75');
    expect(await shown()).toBe('0.75');
    expect(answers).toHaveLength(3);
  });

  it('shows a counter before its first event, so that a rate can be told from an absence', async () => {
    const metrics = new Metrics();
    const logger = createLogger({ service: 'example', level: 'silent' });
    new ExampleEvents(logger, metrics);
    expect(await metrics.text()).toContain('tradewind_priority_example_data_stored_total 0');
  });
});

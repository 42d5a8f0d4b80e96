// Reads by key that arrive together become one statement. A read is sent at the end of the current turn of the event
// loop. While two statements are running, later reads wait and are sent together. Nothing is cached: every read is
// answered by a statement that began after it, and never returns what was revoked before.
import DataLoader from 'dataloader';

const statementsMax = 2;
const keysMax = 200;

/** @param load the rows of these keys, by key; a row that does not exist is missing */
export function batchedReads<Row>(load: (keys: string[]) => Promise<Map<string, Row>>) {
  const waiting: (() => void)[] = [];
  let running = 0;
  const loadBatch = async (keys: readonly string[]): Promise<(Row | undefined)[]> => {
    running += 1;
    try {
      const rows = await load([...new Set(keys)]);
      return keys.map((key) => rows.get(key));
    } finally {
      running -= 1;
      const next = waiting.shift();
      if (next) setImmediate(next);
    }
  };
  return new DataLoader<string, Row | undefined>(loadBatch, {
    cache: false,
    maxBatchSize: keysMax,
    batchScheduleFn: (send) => {
      if (running < statementsMax) setImmediate(send);
      else waiting.push(send);
    },
  });
}

// Shows the progress of a run to an operator: a bar on a terminal, otherwise a line every few seconds.
import { MultiBar, Presets, type SingleBar } from 'cli-progress';
import type { Run } from './run.entity.js';
import type { RunProgress } from './runs.service.js';

/** Time between two lines, long enough that a log file stays readable. */
const lineIntervalMs = 5_000;

export interface RunDisplay extends RunProgress {
  end(): void;
}

export function runDisplay(out: NodeJS.WriteStream): RunDisplay {
  return out.isTTY ? barDisplay(out) : lineDisplay(out);
}

function barDisplay(out: NodeJS.WriteStream): RunDisplay {
  const bars = new MultiBar(
    { stream: out, hideCursor: true, clearOnComplete: false, format: ' {bar} {percentage}% | {what}' },
    Presets.shades_classic,
  );
  let publishing: SingleBar | undefined;
  return {
    onRead: (people) => bars.log(`${people.toLocaleString('en')} priority people read\n`),
    onSelected: (run) => {
      publishing = bars.create(run.totalBatches, run.publishedBatches, {
        what: `${run.selected.toLocaleString('en')} profiles in ${run.totalBatches} batches`,
      });
    },
    onPublished: (batches) => publishing?.increment(batches),
    end: () => bars.stop(),
  };
}

function lineDisplay(out: NodeJS.WriteStream): RunDisplay {
  let lastLineMs = -Infinity;
  let selected: Run | undefined;
  let published = 0;
  const line = (text: string, isDue = false) => {
    if (!isDue && performance.now() - lastLineMs < lineIntervalMs) return;
    lastLineMs = performance.now();
    out.write(`${text}\n`);
  };
  return {
    onRead: (people) => line(`${people} priority people read`),
    onSelected: (run) => {
      selected = run;
      published = run.publishedBatches;
      line(`${run.selected} profiles selected for ${run.totalBatches} batches`, true);
    },
    onPublished: (batches) => {
      published += batches;
      line(`${published} of ${selected?.totalBatches ?? 0} batches published`);
    },
    end: () => undefined,
  };
}

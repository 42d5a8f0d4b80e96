// Progress for people: a bar on a terminal, and one line for every tenth of the way otherwise.
import type { SingleBar } from 'cli-progress';
import cliProgress from 'cli-progress';

export class Progress {
  private readonly bar: SingleBar | undefined;
  private done = 0;
  private tenths = 0;
  private readonly started = Date.now();

  constructor(
    private readonly label: string,
    private readonly total: number,
    private readonly output: NodeJS.WriteStream = process.stderr,
  ) {
    if (!output.isTTY) return;
    const format = `${label.padEnd(10)} {bar} {percentage}% | {value}/{total} | {rate}/s | {eta_formatted} left`;
    this.bar = new cliProgress.SingleBar(
      { format, stream: output, hideCursor: true, etaBuffer: 50 },
      cliProgress.Presets.shades_classic,
    );
    this.bar.start(total, 0, { rate: 0 });
  }

  /** Sets how much is done so far. */
  update(done: number): void {
    this.done = done;
    const seconds = (Date.now() - this.started) / 1000;
    if (this.bar) {
      this.bar.update(Math.min(done, this.total), { rate: Math.round(done / Math.max(seconds, 0.001)) });
      return;
    }
    const tenths = this.total === 0 ? 10 : Math.floor((done / this.total) * 10);
    if (tenths > this.tenths && this.total >= 100_000)
      this.output.write(`${this.label}: ${tenths * 10} %, ${seconds.toFixed(0)} s\n`);
    this.tenths = tenths;
  }

  stop(): void {
    this.bar?.update(Math.min(this.done, this.total));
    this.bar?.stop();
  }
}

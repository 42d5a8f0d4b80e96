// What the demo prints: one live line on a terminal, a line every few seconds elsewhere, ticks and crosses, and the
// report.
import { stdout } from 'node:process';
import { styleText } from 'node:util';

/** Without a terminal, a moving line is written again at most this often. */
const plainIntervalMs = 2_000;

export interface Finding {
  what: string;
  ok: boolean;
  detail: string;
}

export class DemoPage {
  readonly findings: Finding[] = [];
  private readonly rows: { part: string; what: string; figure: string; seconds: number | undefined }[] = [];
  private readonly startedMs = performance.now();
  private liveLine = '';
  private plainWrittenMs = 0;

  heading(text: string): void {
    this.endLive();
    console.log(`\n${styleText('bold', text)}`);
  }

  line(text: string): void {
    this.endLive();
    console.log(`  ${text}`);
  }

  /** Replaces the moving line. `done` and `total` draw the bar. */
  progress(what: string, done: number, total: number, more = ''): void {
    const width = 24;
    const share = total === 0 ? 0 : Math.min(1, done / total);
    const bar = '█'.repeat(Math.round(share * width)).padEnd(width, '░');
    const text = `  ${what.padEnd(12)} ${bar} ${done}/${total}${more ? `  ${more}` : ''}`;
    if (stdout.isTTY) {
      stdout.write(`\r\u001b[2K${text.slice(0, Math.max(20, stdout.columns - 1))}`);
      this.liveLine = text;
    } else if (
      text !== this.liveLine &&
      (performance.now() - this.plainWrittenMs > plainIntervalMs || done === total)
    ) {
      console.log(text);
      this.liveLine = text;
      this.plainWrittenMs = performance.now();
    }
  }

  /** Prints whether a check passed; the demo fails when any did not. */
  check(what: string, ok: boolean, detail = ''): void {
    this.endLive();
    this.findings.push({ what, ok, detail });
    const sign = ok ? styleText('green', '✓') : styleText('red', '✗');
    console.log(`  ${sign} ${what}${detail ? styleText('dim', `  ${detail}`) : ''}`);
  }

  /** A row of the closing report. */
  figure(part: string, what: string, figure: string | number, seconds?: number): void {
    this.rows.push({ part, what, figure: String(figure), seconds });
  }

  report(places: readonly (readonly [string, string])[]): boolean {
    this.heading('Report');
    const widths = [
      Math.max(...this.rows.map((row) => row.part.length)),
      Math.max(...this.rows.map((row) => row.what.length)),
    ] as const;
    let lastPart = '';
    for (const { part, what, figure, seconds } of this.rows) {
      const time = seconds === undefined ? '' : styleText('dim', `${seconds.toFixed(1)} s`.padStart(8));
      console.log(
        `  ${(part === lastPart ? '' : part).padEnd(widths[0])}  ${what.padEnd(widths[1])}  ${figure.padStart(10)}${time}`,
      );
      lastPart = part;
    }
    this.heading('Where to look');
    for (const [what, where] of places) console.log(`  ${what.padEnd(24)}${where}`);
    const failed = this.findings.filter(({ ok }) => !ok);
    const seconds = ((performance.now() - this.startedMs) / 1000).toFixed(1);
    if (failed.length === 0) {
      console.log(
        `\n${styleText(['green', 'bold'], `Everything arrived.`)} ${this.findings.length} checks passed in ${seconds} s.`,
      );
      return true;
    }
    console.log(
      `\n${styleText(['red', 'bold'], 'Something is wrong.')} ${failed.length} of ${this.findings.length} checks failed in ${seconds} s:`,
    );
    for (const { what, detail } of failed) console.log(`  ✗ ${what}${detail ? `  ${detail}` : ''}`);
    return false;
  }

  endLive(): void {
    if (stdout.isTTY && this.liveLine !== '') stdout.write('\n');
    this.liveLine = '';
  }
}

/** Runs the work and says how long it took, in seconds. */
export async function timed<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number }> {
  const startedMs = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - startedMs) / 1000 };
}

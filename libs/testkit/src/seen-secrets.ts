// The secrets that a run used, so that its logs can be searched for these very texts. They are passwords, tokens, codes
// and cookies of its own requests, and those in the settings of a data folder.
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';

/** Shorter texts occur in logs by chance. */
const lengthMin = 8;
const secretName = /(?:password|secret|token|api_?key|cookie|csrf|verifier|assertion)s?$/i;
const secretSetting = /(?:SECRET|TOKEN|KEY|PASSWORD)S?$/;
const scanner = fileURLToPath(new URL('../../../tools/workspace/secrets/scan.mjs', import.meta.url));

export class SeenSecrets {
  readonly #values = new Set<string>();
  readonly #sinceMs = Date.now();
  readonly #fetch = globalThis.fetch;

  /** Watches every request that this process makes with `fetch`. */
  static watch(): SeenSecrets {
    const seen = new SeenSecrets();
    globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      await seen.#addMessage(request.headers, request.clone());
      const response = await seen.#fetch(input, init);
      await seen.#addMessage(response.headers, response.clone());
      return response;
    };
    return seen;
  }

  /** Requests are no longer watched. */
  stop(): void {
    globalThis.fetch = this.#fetch;
  }

  /** Adds the secrets in the settings that `npm start` wrote for operator commands. */
  addSettings(dataDir: string): void {
    for (const file of globSync(`${dataDir}/settings/*.env`)) {
      for (const [name, value = ''] of Object.entries(parseEnv(readFileSync(file, 'utf8')))) {
        if (secretSetting.test(name)) this.#add(value);
      }
    }
  }

  get count(): number {
    return this.#values.size;
  }

  /**
   * Searches the log entries that were written since this object was made, for these secrets and for everything that
   * looks like one.
   * @returns a sentence for each finding, and one about what was searched
   */
  async scanLogs(logsDir: string): Promise<{ findings: string[]; summary: string }> {
    const words = [scanner, '--known', '--since', new Date(this.#sinceMs).toISOString(), logsDir];
    const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.end(JSON.stringify([...this.#values]));
    let [output, errors] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    const findings = errors.split('\n').filter(Boolean);
    if ((code === 0) !== (findings.length === 0) || output === '') throw new Error(`the scan failed: ${errors}`);
    return { findings, summary: output.trim() };
  }

  async #addMessage(headers: Headers, message: Request | Response): Promise<void> {
    const [, credential = ''] = headers.get('authorization')?.split(' ') ?? [];
    this.#add(credential);
    for (const cookie of [...headers.getSetCookie(), ...(headers.get('cookie')?.split('; ') ?? [])]) {
      this.#add(/^[^=]+=([^;]*)/.exec(cookie)?.[1] ?? '');
    }
    const location = headers.get('location');
    if (location !== null) this.#addFields(new URL(location, 'http://localhost').searchParams, true);
    const type = headers.get('content-type') ?? '';
    if (type.startsWith('application/x-www-form-urlencoded')) {
      this.#addFields(new URLSearchParams(await message.text()), true);
    } else if (type.startsWith('application/json')) {
      this.#addJson(await message.json().catch(() => undefined));
    }
  }

  /** A form or query; there `code` is that of the OAuth flow. */
  #addFields(fields: Iterable<[string, string]>, isOAuth = false): void {
    for (const [name, value] of fields) {
      if (secretName.test(name) || (isOAuth && name === 'code')) this.#add(value);
    }
  }

  #addJson(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'string') this.#addFields([[name, inner]]);
      else this.#addJson(inner);
    }
  }

  #add(value: string): void {
    if (value.length >= lengthMin) this.#values.add(value);
  }
}

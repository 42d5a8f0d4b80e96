import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runFuzz } from '../../fuzz/run-fuzz.js';
import { localTarget } from '../../src/local-target.js';
import { withBrowsers } from '../../fuzz/signed-in-browsers.js';
import { startWideGateway, type WideGateway, withGateway } from '../../fuzz/wide-gateway.js';
import type { PlatformProcess } from '../../src/platform-process.js';

/** A few requests of each class to each service. Longer runs: npm run fuzz. */
const short = { requests: 600, seed: 1 };

export function describeFuzz(platform: () => PlatformProcess): void {
  describe('hostile requests', () => {
    let gateway: WideGateway;
    beforeAll(async () => {
      gateway = await startWideGateway(platform());
    });
    afterAll(async () => gateway?.stop());

    it('break no rule of the fuzzer', async () => {
      const target = await withBrowsers(await localTarget(platform()), platform());
      const { findings } = await runFuzz(withGateway(target, gateway), short);
      expect(findings).toEqual([]);
    });
  });
}

import { describe, expect, it } from '@jest/globals';
import { Clock } from '../clock.js';
import type { LimitsService } from '../rate-limit/limits.service.js';
import type { RequestContext } from '../request/request-context.js';
import { RefusedDocuments } from './refused-documents.js';

const from = (ip: string) => ({ ip }) as RequestContext;

describe('documents of an address that has no request left', () => {
  it('are refused without parsing, however many other addresses use theirs up meanwhile', async () => {
    const takeRequest = () =>
      Promise.resolve({ isAllowed: false, state: { policy: 'requests', limit: 10, remaining: 0, resetSeconds: 60 } });
    const documents = new RefusedDocuments({ takeRequest } as unknown as LimitsService, new Clock());
    const useUp = (ip: string) => documents.chargeRequest(from(ip)).catch(() => undefined);
    const ask = () => documents.assertMayAsk(from('192.0.2.1'), '{ unknown }');
    expect(ask).not.toThrow();
    await useUp('192.0.2.1');
    for (let other = 0; other < 20_000; other += 1) {
      await useUp(`10.0.${other >> 8}.${other & 255}`);
      if (other % 1000 === 0) expect(ask).toThrow('limit');
    }
    expect(ask).toThrow('limit');
  });
});

// A client that lost the answer to a refresh, or sent the request twice, receives the same answer again within
// REFRESH_TOKEN_REUSE_SECONDS (decision 0022). The statement that consumes the token also stores the answer, sealed:
// every replica finds it if and only if the token was consumed.
import { Injectable } from '@nestjs/common';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { AppConfig } from '../../app.config.js';
import { SealedText } from '../../sealed-text.js';
import { storedId } from '../payloads/payload-adapter.js';
import { PayloadsStore } from '../payloads/payloads.store.js';
import { payloadKey, type UnitOfWork } from '../../unit-of-work/unit-of-work.js';

const model = 'RefreshSuccessor';

interface Answer extends Record<string, unknown> {
  refresh_token: string;
  expires_in: number;
}

interface Sealed {
  answer: Answer;
  /** The requested scope and resource: with others, the request is no repetition. */
  asked: string;
  /** Milliseconds since 1970. */
  answeredAt: number;
}

@Injectable()
export class RefreshReuse {
  constructor(
    private readonly config: AppConfig,
    private readonly payloads: PayloadsStore,
    private readonly sealedText: SealedText,
  ) {}

  get isOn(): boolean {
    return this.config.REFRESH_TOKEN_REUSE_SECONDS > 0;
  }

  /** Adds the answer to what the request stores, if it answers a refresh. */
  keep(ctx: KoaContextWithOIDC, unit: UnitOfWork): void {
    const used = ctx.oidc.entities.RotatedRefreshToken;
    if (!this.isOn || ctx.status !== 200 || !used) return;
    const id = storedId('RefreshToken', used.jti);
    const kept: Sealed = { answer: ctx.body as Answer, asked: askedFor(ctx), answeredAt: Date.now() };
    unit.upserts.set(payloadKey(model, id), {
      model,
      id,
      payload: JSON.stringify({ sealed: this.sealedText.seal(JSON.stringify(kept), context(id)) }),
      grantId: used.grantId,
      clientId: used.clientId,
      accountId: used.accountId,
      expiresInSeconds: this.config.REFRESH_TOKEN_REUSE_SECONDS,
    });
  }

  /**
   * The answer to the first use of this token, if it may be repeated. The provider has checked the client, grant, user
   * and proof of possession, but any of them may have ended since.
   */
  async find(ctx: KoaContextWithOIDC, id: string): Promise<Answer | undefined> {
    if (!this.isOn) return undefined;
    const found = await this.payloads.find(model, id);
    if (!found || found.grant === null || found.clientId !== ctx.oidc.client?.clientId) return undefined;
    const { sealed } = JSON.parse(found.payload) as { sealed: string };
    const { answer, asked, answeredAt } = JSON.parse(this.sealedText.open(sealed, context(id))) as Sealed;
    if (asked !== askedFor(ctx)) return undefined;
    // The revocation of one token of the grant ends all of them.
    if (!(await this.payloads.find('RefreshToken', storedId('RefreshToken', answer.refresh_token)))) return undefined;
    const elapsedSeconds = Math.floor((Date.now() - answeredAt) / 1000);
    return { ...answer, expires_in: Math.max(0, answer.expires_in - elapsedSeconds) };
  }
}

const context = (id: string): string => `answer to refresh token ${id}`;

const askedFor = ({ oidc }: KoaContextWithOIDC): string =>
  JSON.stringify([oidc.params?.['scope'] ?? null, oidc.params?.['resource'] ?? null]);

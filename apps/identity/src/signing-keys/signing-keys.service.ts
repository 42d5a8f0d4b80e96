// The signing keys of the service and their rotation. Every OpenID client must support RS256 (OIDC Core 15.1, RFC 9068
// 2.1); the keys have 2048 bits. A rotation needs no restart. Replicas poll the table, and a key is published for at
// least two polls before it signs. So every replica knows the key of each signature, and so does every verifier that
// fetches the JWKS again.
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { BackgroundWork, byOperator, Db, type ChangeAuthor } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import { AppConfig } from '../app.config.js';
import { AuditLog } from '../audit/audit-log.js';
import type { KeySet, NewSigningKey, PrivateSigningKey, SigningKey, SigningKeyState } from './signing-key.entity.js';
import { SigningKeysStore } from './signing-keys.store.js';

/** The author of a rotation that nobody asked for. */
const byAge: ChangeAuthor = { by: 'age', ip: null };

/** How far the clocks of verifiers may be off. */
const clockToleranceSeconds = 300;

@Injectable()
export class SigningKeys implements OnModuleInit {
  private keySet: KeySet | undefined;
  private readonly listeners: ((keySet: KeySet) => void)[] = [];

  constructor(
    private readonly config: AppConfig,
    private readonly db: Db,
    private readonly store: SigningKeysStore,
    private readonly audit: AuditLog,
    background: BackgroundWork,
  ) {
    background.every({
      name: 'signing keys',
      intervalMs: config.SIGNING_KEY_POLL_SECONDS * 1000,
      run: async () => {
        await this.refresh();
        await this.rotateIfAged();
      },
    });
  }

  async onModuleInit(): Promise<void> {
    await this.refresh();
  }

  get current(): KeySet {
    if (!this.keySet) throw new Error('the signing keys are not loaded yet');
    return this.keySet;
  }

  /** Called with every new key set, and at once with the one in use. */
  onChange(listener: (keySet: KeySet) => void): void {
    this.listeners.push(listener);
    if (this.keySet) listener(this.keySet);
  }

  /** Reads the key set, making the first keys when there are none. */
  async refresh(): Promise<void> {
    let keys = await this.store.list();
    if (!isComplete(keys)) keys = await this.completeKeys();
    const version = keys.map((key) => `${key.kid}=${key.state}`).join(' ');
    if (version === this.keySet?.version) return;
    this.keySet = { version, current: keys[0] as PrivateSigningKey, keys };
    for (const listener of this.listeners) listener(this.keySet);
  }

  async list(): Promise<SigningKey[]> {
    return (await this.store.list()).map(({ privateJwk: _private, ...key }) => key);
  }

  /**
   * Makes the next key current. Throws when the next key has not been published long enough, unless forced. If forced,
   * verifiers with a cached key set may refuse new tokens until their cache expires.
   */
  async rotate({ force = false, author = byOperator }: { force?: boolean; author?: ChangeAuthor }): Promise<{
    kid: string;
  }> {
    const newNext = await makeKey('next');
    let kid = '';
    await this.audit.recordChange(async (tx) => {
      await this.store.lock(tx);
      const keys = await this.store.list(tx);
      const next = keys.find((key) => key.state === 'next');
      if (!next) throw conflict('there is no next key; start the service once');
      const publishedSeconds = (Date.now() - next.createdAt.getTime()) / 1000;
      const neededSeconds = 2 * this.config.SIGNING_KEY_POLL_SECONDS;
      if (!force && publishedSeconds < neededSeconds) {
        throw conflict(
          `the next key has been published for ${Math.floor(publishedSeconds)} s and needs ${neededSeconds} s; wait, or force it`,
        );
      }
      await this.store.promoteNext(tx, this.lingerSeconds);
      await this.store.insert(tx, newNext);
      kid = next.kid;
      const retired = keys.find((key) => key.state === 'current')?.kid;
      const { by, ip } = author;
      return { event: 'key.rotated', ip: ip ?? undefined, details: { by, activated: kid, retired } };
    });
    await this.refresh();
    return { kid };
  }

  /** Until the last token of a retired key has expired. */
  private get lingerSeconds(): number {
    const { ACCESS_TOKEN_TTL_SECONDS, ID_TOKEN_TTL_SECONDS, DIRECT_LOGIN_TTL_SECONDS } = this.config;
    // A replica may sign with the old key until its next poll.
    return (
      Math.max(ACCESS_TOKEN_TTL_SECONDS, ID_TOKEN_TTL_SECONDS, DIRECT_LOGIN_TTL_SECONDS) +
      2 * this.config.SIGNING_KEY_POLL_SECONDS +
      clockToleranceSeconds
    );
  }

  private async rotateIfAged(): Promise<void> {
    const ageDays = (Date.now() - (this.current.current.activatedAt?.getTime() ?? Date.now())) / 86_400_000;
    if (ageDays < this.config.SIGNING_KEY_MAX_AGE_DAYS) return;
    const next = this.current.keys.find((key) => key.state === 'next');
    const publishedSeconds = next ? (Date.now() - next.createdAt.getTime()) / 1000 : 0;
    // Another replica may have just rotated: then the next key is too young, and nothing is left to do.
    if (publishedSeconds < 2 * this.config.SIGNING_KEY_POLL_SECONDS) return;
    await this.rotate({ author: byAge }).catch(async (error: unknown) => {
      await this.refresh();
      if (this.current.current.kid !== next?.kid) throw error;
    });
  }

  private async completeKeys(): Promise<PrivateSigningKey[]> {
    return this.db.transaction(async (tx) => {
      await this.store.lock(tx);
      const existing = await this.store.list(tx);
      for (const state of ['current', 'next'] as const) {
        if (!existing.some((key) => key.state === state)) await this.store.insert(tx, await makeKey(state));
      }
      return this.store.list(tx);
    });
  }
}

const conflict = (message: string): ServiceError =>
  new ServiceError({ code: 'request.conflict', status: 409, message });

const isComplete = (keys: SigningKey[]): boolean =>
  (['current', 'next'] as const).every((state) => keys.some((key) => key.state === state));

async function makeKey(state: SigningKeyState): Promise<NewSigningKey> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  const publicJwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  const use = { kid, alg: 'RS256', use: 'sig' };
  return { kid, state, publicJwk: { ...publicJwk, ...use }, privateJwk: { ...(await exportJWK(privateKey)), ...use } };
}

// API keys end with the credentials of their user: every replica asks identity who got a new password, was disabled or
// was deleted. While identity is away keys stay valid; an alert on the age of the list fires if that lasts.
import { Injectable } from '@nestjs/common';
import { BackgroundWork } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { IdentityClient } from '../login/identity-client.js';
import { ApiKeysService } from './api-keys.service.js';
import { EndedCredentialsStore } from './ended-credentials.store.js';

@Injectable()
export class EndedCredentials {
  private readAtMs = performance.now();

  constructor(
    private readonly identity: IdentityClient,
    private readonly store: EndedCredentialsStore,
    private readonly keys: ApiKeysService,
    private readonly events: AppEvents,
    config: AppConfig,
    background: BackgroundWork,
  ) {
    background.every({
      name: 'ended credentials',
      intervalMs: config.CREDENTIAL_CHANGES_INTERVAL_MS,
      run: () => this.read(),
    });
    events.gauge(
      'credential_changes_age_seconds',
      'Seconds since this replica last read the whole list of ended credentials from identity',
      () => (performance.now() - this.readAtMs) / 1000,
    );
  }

  /** Applies one page of changes. True when there are more. */
  private async read(): Promise<boolean> {
    const startedAtMs = performance.now();
    const cursor = await this.store.findCursor();
    let page;
    try {
      page = await this.identity.credentialChanges(cursor);
    } catch (error) {
      // The cursor stays, so nothing is lost; it only comes later.
      const reason = error instanceof Error ? error.message : String(error);
      this.events.emit('credential_changes_unread', { reason });
      return false;
    }
    const { changes, last } = page;
    const isRestored = BigInt(last) < BigInt(cursor);
    const next = isRestored ? '0' : page.cursor;
    if (next !== cursor) {
      const ended =
        (await this.store.moving(cursor, next, async (tx) => {
          if (isRestored) return this.store.forget(tx);
          await this.store.record(tx, changes);
          return this.keys.end(tx, changes);
        })) ?? [];
      this.keys.forget(ended);
      for (const key of ended) this.events.emit('key_ended', { key_id: key.id, user_id: key.userId });
    }
    if (next !== last) return true;
    this.readAtMs = startedAtMs;
    return false;
  }
}

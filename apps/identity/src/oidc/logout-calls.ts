// Calls that tell clients that a session ended (OpenID Back-Channel Logout 1.0). A call is stored together with the end
// of the session and sent in the background. So a client that is slow or away delays nobody, and a crash loses no call.
// A call that fails is repeated for some hours. A client may receive it twice; each time the token is a new one.
import { lookup } from 'node:dns';
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Injectable } from '@nestjs/common';
import { BackgroundWork, Logger, type Work } from '@tradewind/service-kit';
import { backoffMs } from '@tradewind/shared-types';
import { decodeJwt } from 'jose';
import { AppConfig } from '../app.config.js';
import { isLoopback, isPublicAddress, logoutUriFault } from '../clients/logout-uri-policy.js';
import { AppEvents } from '../events.js';
import { SignedTokens } from '../signing-keys/signed-tokens.js';
import { FairQueue } from '../password-login/fair-queue.js';
import { unitOfWork } from '../unit-of-work/unit-of-work.js';
import { LogoutCallsStore, type LogoutCall } from './logout-calls.store.js';

/** Milliseconds for one call, from the name look-up to the status; shorter than the stop of the service waits. */
const timeoutMs = 5_000;
/** Calls at the same time, and calls that a replica has claimed: those of one host take turns with the others. */
const parallel = 20;
const claimedMax = 100;
/** Longer than the last of the claimed calls takes when every host is slow. */
const leaseSeconds = 60;
/** Pause between two looks for calls that are due again, milliseconds. */
const intervalMs = 5_000;
/** Some five hours in all: a client that is away for longer learns of the end when it next refreshes a token. */
const attemptsMax = 12;
const backoff = { backoffMsMin: 5_000, backoffMsMax: 3_600_000 };
/** As short as the specification recommends. */
const tokenLifeSeconds = 120;
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

@Injectable()
export class LogoutCalls {
  private readonly queue = new FairQueue({
    parallel,
    waitingMax: claimedMax,
    refusal: () => new Error('too many calls wait'),
  });
  private readonly work: Work;

  constructor(
    private readonly config: AppConfig,
    private readonly store: LogoutCallsStore,
    private readonly tokens: SignedTokens,
    private readonly events: AppEvents,
    private readonly logger: Logger,
    background: BackgroundWork,
  ) {
    this.work = background.claims({
      name: 'logout calls',
      intervalMs,
      parallel: claimedMax,
      claim: (room) => this.store.claim(room, leaseSeconds),
      work: (call) => this.deliver(call),
    });
  }

  /** Sends what has just been stored. */
  wake(): void {
    this.work.wake();
  }

  /**
   * The `fetch` of the provider. It accepts a logout call, which is stored with the other writes of the request. It
   * refuses every other address, such as the `jwks_uri` of a client.
   */
  readonly accept = async (_url: string | URL | Request, { method, body }: RequestInit = {}): Promise<Response> => {
    const token = method === 'POST' && body instanceof URLSearchParams ? body.get('logout_token') : null;
    if (token === null) throw new Error('identity reads no addresses of clients');
    const { aud, sub, sid } = decodeJwt<{ aud: string; sub: string; sid?: string }>(token);
    const { logoutCalls, afterwards } = unitOfWork();
    logoutCalls.push({ clientId: String(aud), userId: sub ?? '', sid });
    afterwards.push(() => this.wake());
    return new Response(null, { status: 204 });
  };

  private async deliver(call: LogoutCall): Promise<void> {
    const metadata = JSON.parse(call.metadata ?? '{}') as { backchannel_logout_uri?: string };
    const url = URL.parse(metadata.backchannel_logout_uri ?? '');
    // The client was deleted, or wants no calls any more.
    if (url === null) return this.store.remove(call.id);
    const origin = { isKnown: false, key: url.host };
    const failure = await this.queue.run(origin, () => this.send(url, call)).catch((error: unknown) => error);
    if (failure === undefined) {
      this.events.emit('logout_call', { outcome: 'delivered' });
      return this.store.remove(call.id);
    }
    const isLast = call.attempts >= attemptsMax;
    this.events.emit('logout_call', { outcome: isLast ? 'given_up' : 'failed' });
    const { clientId, attempts } = call;
    this.logger.warn({ err: failure, clientId, host: url.host, attempts }, 'a logout call to a client failed');
    if (isLast) return this.store.remove(call.id);
    return this.store.repeat(call.id, backoffMs(attempts, backoff) / 1000);
  }

  private async send(url: URL, { clientId, userId, sid }: LogoutCall): Promise<undefined> {
    const isLoopbackAllowed = this.config.LOGOUT_CALLS_TO_LOOPBACK;
    const fault = logoutUriFault(url.href, isLoopbackAllowed);
    if (fault !== undefined) throw new Error(`the address ${fault}`);
    const isChecked = !(isLoopbackAllowed && isLoopback(url));
    const nowSeconds = Math.floor(Date.now() / 1000);
    const token = await this.tokens.sign('logout+jwt', {
      iss: this.config.OAUTH_ISSUER,
      aud: clientId,
      sub: userId,
      ...(sid === null ? {} : { sid }),
      iat: nowSeconds,
      exp: nowSeconds + tokenLifeSeconds,
      jti: randomUUID(),
      events: { [logoutEvent]: {} },
    });
    const form = new URLSearchParams({ logout_token: token }).toString();
    const status = await post(url, form, isChecked ? publicLookup : undefined);
    if (status !== 200 && status !== 204) throw new Error(`the client answered ${status}`);
  }
}

/** Posts without following redirects, and reads nothing but the status. */
function post(url: URL, form: string, lookupAddress: LookupFunction | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const call = send(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': Buffer.byteLength(form),
        connection: 'close',
      },
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
      ...(lookupAddress ? { lookup: lookupAddress } : {}),
    });
    call.once('response', (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    call.once('error', reject);
    call.end(form);
  });
}

/**
 * Resolves names of hosts on the internet alone. The connection goes to the addresses that were checked, so a name that
 * changes in between gains nothing. Node looks up no host that is an address already; logoutUriFault checks those.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    if (addresses.length === 0 || !addresses.every(({ address }) => isPublicAddress(address))) {
      return callback(notPublic(), '', 0);
    }
    if (options.all) callback(null, addresses);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  });
};

const notPublic = (): Error => new Error('the address of the client is not on the internet');

// Calls that tell clients that a session ended (OpenID Back-Channel Logout 1.0). The provider makes the logout token
// and asks for the call while it answers a request; the call is sent after the end of the session is stored, in the
// background. A client that is slow or away delays nobody. A call is made once: one that fails, or that a crash takes
// away, is lost, and the client learns of the end when it next refreshes a token or asks for one.
import { lookup } from 'node:dns';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Injectable } from '@nestjs/common';
import { BackgroundWork, Logger } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { isLoopback, isPublicAddress, logoutUriFault } from '../clients/logout-uri-policy.js';
import { AppEvents } from '../events.js';
import { FairQueue } from '../password-login/fair-queue.js';
import { unitOfWork } from '../unit-of-work/unit-of-work.js';

/** Milliseconds for one call, from the name look-up to the status; shorter than the stop of the service waits. */
const timeoutMs = 5_000;
/** Calls at the same time, and calls that may wait for a place. */
const parallel = 20;
const waitingMax = 1_000;

@Injectable()
export class LogoutCalls {
  private readonly queue = new FairQueue({ parallel, waitingMax, refusal: () => new Error('too many calls wait') });

  constructor(
    private readonly config: AppConfig,
    private readonly background: BackgroundWork,
    private readonly events: AppEvents,
    private readonly logger: Logger,
  ) {}

  /**
   * The `fetch` of the provider: accepts a logout call, which is sent once the request has stored its writes, and
   * refuses every other address, such as the `jwks_uri` of a client.
   */
  readonly accept = async (url: string | URL | Request, { method, body }: RequestInit = {}): Promise<Response> => {
    if (method !== 'POST' || !(body instanceof URLSearchParams) || !body.has('logout_token')) {
      throw new Error('identity reads no addresses of clients');
    }
    const target = String(url instanceof Request ? url.url : url);
    const form = body.toString();
    unitOfWork().afterwards.push(() => void this.background.track(this.send(target, form)));
    return new Response(null, { status: 204 });
  };

  private async send(target: string, form: string): Promise<void> {
    const url = new URL(target);
    const lane = { isKnown: false, key: url.host };
    const failure = await this.queue.run(lane, () => this.call(url, form)).catch((error: unknown) => error);
    this.events.emit('logout_call', { outcome: failure === undefined ? 'delivered' : 'failed' });
    if (failure !== undefined) this.logger.warn({ err: failure, host: url.host }, 'a logout call to a client failed');
  }

  private async call(url: URL, form: string): Promise<undefined> {
    const isLoopbackAllowed = this.config.LOGOUT_CALLS_TO_LOOPBACK;
    const fault = logoutUriFault(url.href, isLoopbackAllowed);
    if (fault !== undefined) throw new Error(`the address ${fault}`);
    const isChecked = !(isLoopbackAllowed && isLoopback(url));
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

// The storage that oidc-provider asks for (its Adapter interface), on PayloadsStore. The unit of work of the request
// collects the writes and answers the reads that it can.
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { errors, type Adapter, type AdapterPayload } from 'oidc-provider';
import { endedSession, type PayloadsStore, type PayloadWithRelations } from './payloads.store.js';
import {
  payloadKey,
  unitOfWork,
  type FoundPayload,
  type PayloadRecord,
  type UnitOfWork,
} from '../../unit-of-work/unit-of-work.js';

const storedPlain = new Set(['Grant', 'AccessToken']);

/**
 * The key under which a payload is stored. For anything that works as a bearer token it is the SHA-256, so that nobody
 * gets a token by reading the table. The ids of grants and the `jti` of JWT access tokens give no access.
 */
export const storedId = (model: string, handle: string): string =>
  storedPlain.has(model) ? handle : hash('sha256', handle, 'base64url');

/** PostgreSQL refuses U+0000 and lone surrogates in text. No id of a client has them, nor is one longer than this. */
export const isStorableText = (text: string): boolean =>
  text.length <= 255 && !text.includes('\0') && !/\p{Surrogate}/u.test(text);

const handleLengthMax = 128;

/** For models without an expiry: the row needs one. */
const expiresInSecondsDefault = 10 * 365 * 86_400;

/**
 * An interaction is resolved once, and a registration access token is used once. Of two requests that destroy the same
 * one, the second finds it gone and stores nothing.
 */
const usedOnce = new Set(['Interaction', 'RegistrationAccessToken']);

export class PayloadAdapter implements Adapter {
  constructor(
    private readonly model: string,
    private readonly store: PayloadsStore,
  ) {}

  async upsert(handle: string, payload: AdapterPayload, expiresInSeconds?: number): Promise<void> {
    const record = toRecord(this.model, handle, payload, expiresInSeconds);
    if (this.model === 'ReplayDetection') {
      if (await this.store.insertOnce(record)) return;
      throw new errors.InvalidRequest('the proof or assertion was used before');
    }
    const unit = unitOfWork();
    if (this.model === 'Session') {
      unit.keepsSession = isStoredAlready(unit, record, expiresInSeconds);
      if (unit.keepsSession) return;
      // It was destroyed only to be stored under another key.
      unit.upserts.delete(payloadKey(endedSession, record.uid!));
    }
    // A grant that was read may have been revoked since, and must not come back.
    if (this.model === 'Grant' && unit.payloads.get(payloadKey(this.model, record.id))) unit.keptGrants.add(record.id);
    unit.upserts.set(payloadKey(this.model, record.id), record);
    unit.deletes.delete(payloadKey(this.model, record.id));
  }

  async find(handle: string): Promise<AdapterPayload | undefined> {
    // No handle is that long: the provider also looks for JWTs among the refresh tokens.
    if (handle.length > handleLengthMax) return undefined;
    const id = storedId(this.model, handle);
    return fromFound(this.model, await this.findStored(id), handle);
  }

  /** Reads the row and its relations into the unit of work, for the provider's later questions. */
  async prefetch(handle: string): Promise<void> {
    if (handle.length > handleLengthMax) return;
    await this.findStored(storedId(this.model, handle));
  }

  /** Sessions only. */
  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const unit = unitOfWork();
    for (const record of unit.upserts.values()) {
      if (record.model === this.model && record.uid === uid) return parse(record.payload);
    }
    if (!unit.sessionsByUid.has(uid)) {
      const found = await this.store.findByUid(this.model, uid);
      unit.sessionsByUid.set(uid, found?.payload);
      if (found) remember(unit, found);
    }
    const payload = unit.sessionsByUid.get(uid);
    return payload === undefined ? undefined : parse(payload);
  }

  async findByUserCode(): Promise<undefined> {
    // The device flow is off.
    return undefined;
  }

  /**
   * A pushed request is consumed at once. A code or refresh token is consumed together with everything that its
   * redemption stores. Of several redemptions exactly one is stored; store-unit-of-work.ts answers the others.
   */
  async consume(handle: string): Promise<void> {
    const id = storedId(this.model, handle);
    if (this.model !== 'PushedAuthorizationRequest') {
      const found = await this.findStored(id);
      const grantId = found && parse(found.payload).grantId;
      unitOfWork().consumptions.set(payloadKey(this.model, id), { model: this.model, id, grantId });
      return;
    }
    if (await this.store.consume(this.model, id)) return;
    throw new errors.InvalidRequestUri('request_uri is invalid, expired, or was already used');
  }

  async destroy(handle: string): Promise<void> {
    const id = storedId(this.model, handle);
    const unit = unitOfWork();
    const key = payloadKey(this.model, id);
    unit.upserts.delete(key);
    unit.consumptions.delete(key);
    if (this.model === 'Session') markEnded(unit, key);
    unit.deletes.set(key, { model: this.model, id, required: usedOnce.has(this.model) });
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    unitOfWork().revokedGrants.set(payloadKey(this.model, grantId), { model: this.model, grantId });
  }

  private async findStored(id: string): Promise<FoundPayload | undefined> {
    const unit = unitOfWork();
    const key = payloadKey(this.model, id);
    if (unit.deletes.has(key)) return undefined;
    const pending = unit.upserts.get(key);
    if (pending) return { payload: pending.payload, consumedAtSeconds: null };
    if (unit.payloads.has(key)) return unit.payloads.get(key);
    const found = await this.store.find(this.model, id);
    unit.payloads.set(key, found);
    if (found) remember(unit, found);
    return found;
  }
}

/** Keeps the relations of a row, so that the provider's next questions need no round trip. */
export function remember(unit: UnitOfWork, found: PayloadWithRelations): void {
  if (found.grantId !== null) {
    const key = payloadKey('Grant', found.grantId);
    if (!unit.payloads.has(key)) {
      unit.payloads.set(key, found.grant === null ? undefined : { payload: found.grant, consumedAtSeconds: null });
    }
  }
  const { clientId, accountId, sessionUid, sessionId, session } = found;
  if (clientId !== null && !unit.clients.has(clientId)) unit.clients.set(clientId, found.client ?? undefined);
  if (accountId !== null && !unit.users.has(accountId)) unit.users.set(accountId, found.user ?? undefined);
  if (sessionUid !== null && !unit.sessionsByUid.has(sessionUid)) {
    unit.sessionsByUid.set(sessionUid, session ?? undefined);
    if (session !== null) {
      unit.payloads.set(payloadKey('Session', sessionId!), {
        payload: session,
        consumedAtSeconds: null,
        uid: sessionUid,
      });
    }
  }
}

/**
 * The provider saves the browser session with every authorization request to move its expiry, which updates every index
 * of the row. A session that is otherwise the same is written only when its expiry moves by more than a hundredth.
 */
function isStoredAlready(unit: UnitOfWork, record: PayloadRecord, expiresInSeconds = 0): boolean {
  const key = payloadKey(record.model, record.id);
  if (unit.upserts.has(key) || unit.deletes.has(key)) return false;
  const found = unit.payloads.get(key);
  // Without a uid, another request has given the session a new key since.
  if (!found?.uid) return false;
  const [stored, wanted] = [parse(found.payload), parse(record.payload)];
  const isSoonEnough = (wanted.exp ?? 0) - (stored.exp ?? 0) < expiresInSeconds / 100;
  const rest = ({ iat: _iat, exp: _exp, usedTs: _usedTs, ...others }: AdapterPayload) => others;
  return isSoonEnough && isDeepStrictEqual(rest(stored), rest(wanted));
}

function toRecord(
  model: string,
  handle: string,
  payload: AdapterPayload,
  expiresInSeconds = expiresInSecondsDefault,
): PayloadRecord {
  const stored = { ...payload };
  // No payload may contain the handle of a hashed row, nor an interaction that of its session.
  if (!storedPlain.has(model)) delete stored.jti;
  if (model === 'Session') Object.assign(stored, placeOf(unitOfWork()));
  if (stored.session?.cookie) stored.session = { ...stored.session, cookie: '' };
  return {
    model,
    id: storedId(model, handle),
    payload: JSON.stringify(stored),
    expiresInSeconds,
    ...related(model, handle, payload),
  };
}

/** When and from where a session was last stored, for the list that its user sees. */
const placeOf = ({ ip, browser }: UnitOfWork) => ({ address: ip, browser, usedTs: Math.floor(Date.now() / 1000) });

/** The columns by which the row is found, revoked and joined. */
function related(model: string, handle: string, payload: AdapterPayload) {
  switch (model) {
    case 'Grant':
      return { grantId: handle, clientId: payload.clientId, accountId: payload.accountId };
    case 'Session':
      return { uid: payload.uid, accountId: payload.accountId, sessionUid: payload.uid };
    case 'Interaction': {
      // The account and grant of the result, or else those that the interaction started with.
      const result = payload.result as { login?: { accountId?: string }; consent?: { grantId?: string } } | undefined;
      return {
        grantId: result?.consent?.grantId ?? payload.grantId,
        clientId: payload.params?.['client_id'] as string | undefined,
        accountId: result?.login?.accountId ?? payload.session?.accountId,
        sessionUid: payload.session?.uid,
      };
    }
    default:
      return {
        grantId: payload.grantId,
        clientId: payload.clientId,
        accountId: payload.accountId,
        sessionUid: payload.expiresWithSession ? payload.sessionUid : undefined,
      };
  }
}

function fromFound(model: string, found: FoundPayload | undefined, handle: string): AdapterPayload | undefined {
  if (!found) return undefined;
  const payload = parse(found.payload);
  if (!storedPlain.has(model)) payload.jti = handle;
  return found.consumedAtSeconds === null ? payload : { ...payload, consumed: found.consumedAtSeconds };
}

/** Without the mark, a request that has read the session already could store it again. */
function markEnded(unit: UnitOfWork, key: string): void {
  const found = unit.payloads.get(key);
  if (!found) return;
  const { uid, iat = 0, exp = 0 } = parse(found.payload) as AdapterPayload & { uid: string };
  unit.upserts.set(payloadKey(endedSession, uid), {
    model: endedSession,
    id: uid,
    payload: '{}',
    // No row of the session lives longer.
    expiresInSeconds: Math.max(exp - iat, 1),
  });
}

const parse = (text: string): AdapterPayload => JSON.parse(text) as AdapterPayload;

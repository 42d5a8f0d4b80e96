// What signs people in after the password: an authenticator app, passkeys, and recovery codes in case these are lost.
// Each change and its audit event are one transaction, with the row of the user locked.
import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { clientNetwork, type Tx } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { AuditLog } from '../audit/audit-log.js';
import type { SecondFactorMeans } from '../oidc/policy/authentication.js';
import { KnownBrowsers } from '../password-login/known-browsers.js';
import { secondFactorLimits } from '../password-login/login-limits.js';
import { LoginThrottle } from '../password-login/login-throttle.js';
import { SealedText } from '../sealed-text.js';
import { unitOfWork } from '../unit-of-work/unit-of-work.js';
import { emailKey } from '../users/email-key.js';
import { needsSecondFactor } from '../users/second-factor-rule.js';
import { UsersStore } from '../users/users.store.js';
import type { User } from '../users/users.types.js';
import { Passkeys } from './passkeys.js';
import { makeRecoveryCodes, recoveryCodeHash } from './recovery-codes.js';
import { SecondFactorsStore, type StoredFactors } from './second-factors.store.js';
import { isTotpCode, makeTotpSecret, totpStep, totpUri } from './totp.js';

const passkeysMax = 10;

/** The time that somebody has to set up a factor. By the clock of the day, because any replica may get the form. */
const setUpSecondsMax = 900;

/** What somebody presents: the code of an app, a recovery code, or what a passkey answered to a challenge. */
export type Proof = { code: string } | { answer: string; challenge: string };

export type ProofOutcome =
  { kind: 'ok'; means: SecondFactorMeans } | { kind: 'refused' } | { kind: 'throttled'; retryAfterSeconds: number };

/** `codes`: those of a first factor, to be shown once. `exists`: a second click, or the passkey of somebody. */
export type Addition =
  | { kind: 'added'; means: SecondFactorMeans; codes: string[] | undefined }
  | { kind: 'wrong' | 'expired' | 'exists' | 'full' };

/** `setUp` returns with the form: encrypted, for this user and this version of the credentials. */
export interface AppSetUp {
  setUp: string;
  uri: string;
  secret: string;
}
export interface PasskeySetUp {
  setUp: string;
  options: string;
}

@Injectable()
export class SecondFactors {
  private readonly passkeys: Passkeys;

  constructor(
    private readonly config: AppConfig,
    private readonly store: SecondFactorsStore,
    private readonly users: UsersStore,
    private readonly sealed: SealedText,
    private readonly throttle: LoginThrottle,
    private readonly browsers: KnownBrowsers,
    private readonly audit: AuditLog,
  ) {
    this.passkeys = new Passkeys(config.OAUTH_ISSUER);
  }

  get passkeysArePossible(): boolean {
    return this.passkeys.arePossible;
  }

  of({ id }: User): Promise<StoredFactors> {
    return this.store.find(id);
  }

  makeChallenge(): string {
    return randomBytes(32).toString('base64url');
  }

  /** For the page of a sign-in; undefined when the user has no passkey. */
  async requestOptions({ passkeys }: StoredFactors, challenge: string): Promise<string | undefined> {
    return passkeys.length === 0 ? undefined : this.passkeys.requestOptions(challenge, passkeys);
  }

  /** Checks what follows the password. Runs in a unit of work; counted and limited as the password is. */
  async check(user: User, proof: Proof, cookies: string | undefined): Promise<ProofOutcome> {
    const limits = secondFactorLimits(this.config, {
      account: emailKey(user.email) ?? user.email,
      network: clientNetwork(unitOfWork().ip),
      browserId: this.browsers.find(cookies, user),
      userId: user.id,
    });
    const attempt = await this.throttle.begin(limits, { via: 'second_factor', emailKey: undefined });
    if (attempt.kind === 'throttled') return { kind: 'throttled', retryAfterSeconds: attempt.retryAfterSeconds };
    const means = await ('code' in proof ? this.takeCode(user, proof.code) : this.takePasskey(user, proof));
    if (means === undefined) {
      this.audit.record({ event: 'login.failed', userId: user.id, details: { via: 'second_factor' } });
      return { kind: 'refused' };
    }
    attempt.succeed(true);
    this.audit.record({ event: 'login.succeeded', userId: user.id, details: { via: 'form', second_factor: means } });
    return { kind: 'ok', means };
  }

  newApp(user: User): AppSetUp {
    const secret = makeTotpSecret();
    return { setUp: this.seal('app', user, secret), uri: totpUri(secret, user.email), secret };
  }

  /** The same app again, after a wrong code; undefined when it is too late. */
  sameApp(user: User, setUp: string): AppSetUp | undefined {
    const secret = this.open('app', user, setUp);
    return secret === undefined ? undefined : { setUp, uri: totpUri(secret, user.email), secret };
  }

  async newPasskey(user: User): Promise<PasskeySetUp> {
    const challenge = this.makeChallenge();
    const { passkeys } = await this.of(user);
    const options = await this.passkeys.creationOptions(user, challenge, passkeys);
    return { setUp: this.seal('passkey', user, challenge), options };
  }

  async addApp(user: User, { setUp, code }: { setUp: string; code: string }): Promise<Addition> {
    const secret = this.open('app', user, setUp);
    if (secret === undefined) return { kind: 'expired' };
    const step = totpStep(secret, code.replace(/\s/g, ''));
    if (step === undefined) return { kind: 'wrong' };
    const sealed = this.sealed.seal(secret, totpContext(user.id));
    return this.add(user, 'totp', async (tx) => (await this.store.addTotp(tx, user.id, sealed, step)) || 'exists');
  }

  /** @param name by which the user recognises it */
  async addPasskey(
    user: User,
    { setUp, answer, name }: { setUp: string; answer: string; name: string },
  ): Promise<Addition> {
    const challenge = this.open('passkey', user, setUp);
    if (challenge === undefined) return { kind: 'expired' };
    const made = await this.passkeys.created(answer, challenge);
    if (!made) return { kind: 'wrong' };
    return this.add(user, made.isSynced ? 'synced_passkey' : 'device_passkey', async (tx) => {
      const { passkeys } = await this.store.find(user.id, tx);
      if (passkeys.length >= passkeysMax) return 'full';
      return (await this.store.addPasskey(tx, user.id, { ...made, name })) || 'exists';
    });
  }

  /** @param factor the id of a passkey; without, the app */
  async remove({ id }: User, factor: string | undefined): Promise<'removed' | 'gone' | 'needed'> {
    let isNeeded = false;
    const isRemoved = await this.change(async (tx) => {
      const user = await this.users.lockById(tx, id);
      if (!user) return undefined;
      const { totpSealed, passkeys } = await this.store.find(id, tx);
      const isThere = factor === undefined ? totpSealed !== null : passkeys.some((one) => one.id === factor);
      if (!isThere) return undefined;
      const isLast = passkeys.length + (totpSealed === null ? 0 : 1) === 1;
      isNeeded = isLast && needsSecondFactor({ ...user, hasSecondFactor: false }, this.config);
      if (isNeeded) return undefined;
      if (factor === undefined) await this.store.removeTotp(tx, id);
      else await this.store.removePasskey(tx, id, factor);
      if (isLast) {
        await this.store.setRecoveryCodes(tx, id, []);
        await this.users.setSecondFactor(tx, id, false);
      }
      const means = factor === undefined ? 'totp' : 'passkey';
      return { event: 'second_factor.removed', userId: id, details: { by: id, via: 'page', means, last: isLast } };
    });
    if (isRemoved) return 'removed';
    return isNeeded ? 'needed' : 'gone';
  }

  /** New recovery codes instead of the old ones; undefined for whoever has no second factor. */
  async renewCodes({ id }: User): Promise<string[] | undefined> {
    let codes: string[] | undefined;
    await this.change(async (tx) => {
      const user = await this.users.lockById(tx, id);
      if (!user?.hasSecondFactor) return undefined;
      codes = await this.writeCodes(tx, id);
      return { event: 'second_factor.codes_renewed', userId: id, details: { by: id, via: 'page' } };
    });
    return codes;
  }

  /** Removes every factor of a user whose row the transaction has locked. */
  async reset(tx: Tx, userId: string): Promise<void> {
    await this.store.removeAll(tx, userId);
    await this.users.setSecondFactor(tx, userId, false);
  }

  private async takeCode({ id }: User, text: string): Promise<SecondFactorMeans | undefined> {
    const code = text.replace(/\s/g, '');
    if (isTotpCode(code)) {
      const { totpSealed } = await this.store.find(id);
      if (totpSealed === null) return undefined;
      const step = totpStep(this.sealed.open(totpSealed, totpContext(id)), code);
      return step !== undefined && (await this.store.takeStep(id, step)) ? 'totp' : undefined;
    }
    const hash = recoveryCodeHash(id, code);
    if (hash === undefined) return undefined;
    const isTaken = await this.change(async (tx) => {
      if (!(await this.store.takeRecoveryCode(tx, id, hash))) return undefined;
      const { recoveryCodes: left } = await this.store.find(id, tx);
      return { event: 'second_factor.recovery_code_used', userId: id, details: { by: id, via: 'form', left } };
    });
    return isTaken ? 'recovery_code' : undefined;
  }

  private async takePasskey(
    user: User,
    { answer, challenge }: { answer: string; challenge: string },
  ): Promise<SecondFactorMeans | undefined> {
    const { passkeys } = await this.of(user);
    const used = await this.passkeys.used(answer, challenge, passkeys);
    if (!used || !(await this.store.usePasskey(user.id, used.passkey.id, used.signCount))) return undefined;
    return used.passkey.isSynced ? 'synced_passkey' : 'device_passkey';
  }

  /** @param write true when the factor is added, or why it is not */
  private async add(
    { id, credentialsVersion, hasSecondFactor }: User,
    means: SecondFactorMeans,
    write: (tx: Tx) => Promise<true | 'exists' | 'full'>,
  ): Promise<Addition> {
    let outcome: Addition = { kind: 'expired' };
    await this.change(async (tx) => {
      const user = await this.users.lockById(tx, id);
      // Whoever signed in with an older password sets up nothing, and nobody makes the first one twice.
      const isSame = user?.credentialsVersion === credentialsVersion && user.hasSecondFactor === hasSecondFactor;
      if (!user || user.isDisabled || !isSame) return undefined;
      const written = await write(tx);
      if (written !== true) {
        outcome = { kind: written };
        return undefined;
      }
      const codes = user.hasSecondFactor ? undefined : await this.writeCodes(tx, id);
      if (!user.hasSecondFactor) await this.users.setSecondFactor(tx, id, true);
      outcome = { kind: 'added', means, codes };
      return { event: 'second_factor.added', userId: id, details: { by: id, via: 'page', means } };
    });
    return outcome;
  }

  private async writeCodes(tx: Tx, userId: string): Promise<string[]> {
    const codes = makeRecoveryCodes();
    await this.store.setRecoveryCodes(
      tx,
      userId,
      codes.map((code) => recoveryCodeHash(userId, code)!),
    );
    return codes;
  }

  private change(make: Parameters<AuditLog['recordChange']>[0]): Promise<boolean> {
    const { ip } = unitOfWork();
    return this.audit.recordChange(async (tx) => {
      const event = await make(tx);
      return event && { ip, ...event };
    });
  }

  private seal(kind: string, user: User, value: string): string {
    return this.sealed.seal(JSON.stringify([value, nowSeconds() + setUpSecondsMax]), setUpContext(kind, user));
  }

  private open(kind: string, user: User, setUp: string): string | undefined {
    try {
      const opened = this.sealed.open(setUp, setUpContext(kind, user));
      const [value, until] = JSON.parse(opened) as [string, number];
      return nowSeconds() < until ? value : undefined;
    } catch {
      // Of somebody else, from before a new password, or no set-up at all.
      return undefined;
    }
  }
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

const totpContext = (userId: string): string => `totp secret of ${userId}`;

const setUpContext = (kind: string, { id, credentialsVersion }: User): string =>
  `set-up of ${kind} for ${id} ${credentialsVersion}`;

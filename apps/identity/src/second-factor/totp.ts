// Codes of authenticator apps (RFC 6238): six digits, a new one every 30 seconds, SHA-1 as all apps know it.
import { Secret, TOTP } from 'otpauth';

const stepSeconds = 30;
/** Steps by which the clock of a phone may be off, to either side. */
const stepsOff = 1;
/** Bytes: 160 bits, as RFC 4226 recommends. */
const secretBytes = 20;

export const makeTotpSecret = (): string => new Secret({ size: secretBytes }).base32;

/** The address behind the QR code. */
export const totpUri = (secret: string, email: string): string => totpOf(secret, email).toString();

/** The time step of the code; undefined when it is no code of these minutes. */
export function totpStep(secret: string, code: string, atMs = Date.now()): number | undefined {
  if (!isTotpCode(code)) return undefined;
  const delta = totpOf(secret).validate({ token: code, window: stepsOff, timestamp: atMs });
  return delta === null ? undefined : Math.floor(atMs / 1000 / stepSeconds) + delta;
}

export const isTotpCode = (text: string): boolean => /^\d{6}$/.test(text);

const totpOf = (secret: string, label = ''): TOTP =>
  new TOTP({ issuer: 'Tradewind', label, secret: Secret.fromBase32(secret), period: stepSeconds, digits: 6 });

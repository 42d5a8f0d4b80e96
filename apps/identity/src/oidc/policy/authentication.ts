// How somebody signed in, as ID tokens say it: `acr` is the strength, `amr` the means (RFC 8176).
import type { AppConfig } from '../../app.config.js';
import { needsSecondFactor } from '../../users/second-factor-rule.js';
import type { User } from '../../users/users.types.js';

export const acrValues = {
  password: 'urn:tradewind:acr:password',
  twoFactor: 'urn:tradewind:acr:two-factor',
} as const;

export type SecondFactorMeans = 'totp' | 'recovery_code' | 'device_passkey' | 'synced_passkey';

// A recovery code is a one-time password, too. A passkey that is copied between devices is no key of a hardware.
const amrOf: Record<SecondFactorMeans, string> = {
  totp: 'otp',
  recovery_code: 'otp',
  device_passkey: 'hwk',
  synced_passkey: 'swk',
};

export interface Authentication {
  acr: string;
  amr: string[];
}

export const byPassword: Authentication = { acr: acrValues.password, amr: ['pwd'] };

export const byPasswordAnd = (means: SecondFactorMeans): Authentication => ({
  acr: acrValues.twoFactor,
  amr: ['pwd', amrOf[means], 'mfa'],
});

/**
 * Whether the role demands a second factor that this session does not have. A session from before the user set one up
 * stays good otherwise.
 */
export const lacksSecondFactor = (user: User, acr: string | undefined, config: AppConfig): boolean =>
  acr !== acrValues.twoFactor && needsSecondFactor({ ...user, hasSecondFactor: false }, config);

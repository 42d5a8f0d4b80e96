// Recovery codes: for whoever has lost the device. Each has 80 random bits, so that a plain hash protects it.
import { hash, randomBytes } from 'node:crypto';

export const recoveryCodesMade = 10;

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** Sixteen characters in groups of four, as people write them down. */
export function makeRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodesMade }, () => {
    // 32 divides 256, so every character is as likely.
    const characters = [...randomBytes(16)].map((byte) => alphabet.charAt(byte % 32)).join('');
    return (characters.match(/.{4}/g) ?? []).join('-');
  });
}

/** The hash under which a code of this user is stored; undefined for a text that is no code. */
export function recoveryCodeHash(userId: string, text: string): string | undefined {
  const code = text.toLowerCase().replace(/[\s-]/g, '');
  return /^[a-z2-7]{16}$/.test(code) ? hash('sha256', `${userId} ${code}`, 'base64url') : undefined;
}

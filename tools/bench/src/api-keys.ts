// Inserts API keys of the data API into its table, because the log-in is not measured.
import { createHash, randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type pg from 'pg';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Keys of as many users, valid for a day; `userIds` says whose they are. */
export async function makeApiKeys(sql: pg.Pool, count: number, userIds?: readonly string[]): Promise<string[]> {
  const keys = Array.from({ length: count }, (_, index) => {
    // The letter keeps 1 and 10 apart.
    const body = `BenchKey${index}x`.padEnd(43, '0');
    let rest = crc32(body);
    let checksum = '';
    for (let i = 0; i < 6; i++, rest = Math.floor(rest / 62)) checksum = alphabet[rest % 62] + checksum;
    return `svc_${body}${checksum}`;
  });
  for (const [index, key] of keys.entries()) {
    await sql.query(
      `insert into api_key (user_id, user_email, name, prefix, key_hash, created_at, expires_at)
       values ($1, 'bench@example.com', 'bench', $2, $3, now(), now() + interval '1 day')
       on conflict (key_hash) do update set expires_at = excluded.expires_at, user_id = excluded.user_id`,
      [userIds?.[index] ?? randomUUID(), key.slice(0, 8), createHash('sha256').update(key).digest()],
    );
  }
  return keys;
}

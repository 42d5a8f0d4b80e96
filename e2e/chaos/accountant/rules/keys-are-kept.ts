import { groupBy, toldOf } from '../evidence/group-by.js';
import type { Rule } from '../evidence/rule.types.js';

export const keysAreKept: Rule = {
  name: 'an API key is stored once, and the audit log says when it was made and revoked',
  check({ told, keys, auditedKeys }) {
    const byName = groupBy(keys, ({ name }) => name);
    const audited = new Map(auditedKeys.map((one) => [one.keyHash, one]));
    const asked = new Set(toldOf(told, 'key').map(({ name }) => name));
    const ended = new Set(toldOf(told, 'ended access').map(({ subject }) => subject));
    const findings: string[] = [];
    for (const { name, user, keyHash, result } of toldOf(told, 'key')) {
      const rows = byName.get(name) ?? [];
      if (rows.length > 1) findings.push(`${name}: asked for once, stored ${rows.length} times`);
      if (result === 'refused' && rows.length > 0) findings.push(`${name}: refused, and stored`);
      if (result !== 'ok') continue;
      if (rows[0]?.keyHash !== keyHash || rows[0]?.user !== user) findings.push(`${name}: told, and not stored`);
    }
    for (const { keyHash, name, user, isRevoked } of keys) {
      const { made = 0, revoked = 0 } = audited.get(keyHash) ?? {};
      if (!asked.has(name)) findings.push(`${name}: stored, and nobody asked for it`);
      if (made !== 1) findings.push(`${name}: ${made} rows in the audit log say that it was made`);
      if (revoked !== (isRevoked ? 1 : 0))
        findings.push(`${name}: ${isRevoked ? '' : 'not '}revoked, ${revoked} rows in the audit log say so`);
      if (isRevoked && !ended.has(keyHash) && !ended.has(user)) findings.push(`${name}: revoked by nobody`);
    }
    return findings;
  },
};

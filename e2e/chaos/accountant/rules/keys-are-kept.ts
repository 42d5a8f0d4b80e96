import { groupBy, toldOf } from '../evidence/group-by.js';
import type { Rule } from '../evidence/rule.types.js';

export const keysAreKept: Rule = {
  name: 'an API key is stored once, and its making is in the audit log',
  check({ told, keys, auditedKeys }) {
    const byName = groupBy(keys, ({ name }) => name);
    const audited = new Map(auditedKeys.map(({ keyHash, count }) => [keyHash, count]));
    const findings: string[] = [];
    for (const { name, user, keyHash, result } of toldOf(told, 'key')) {
      const rows = byName.get(name) ?? [];
      if (rows.length > 1) findings.push(`${name}: asked for once, stored ${rows.length} times`);
      if (result !== 'ok') continue;
      if (rows[0]?.keyHash !== keyHash || rows[0]?.user !== user) findings.push(`${name}: told, and not stored`);
    }
    for (const { keyHash, name } of keys) {
      const count = audited.get(keyHash) ?? 0;
      if (count !== 1) findings.push(`${name}: ${count} rows in the audit log say that it was made`);
    }
    return findings;
  },
};

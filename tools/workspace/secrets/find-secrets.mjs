// Finds secrets in a text: the formats that secretlint knows, our own, and given values; plain or encoded.
import { lintSource } from '@secretlint/core';
import { creator as preset } from '@secretlint/secretlint-rule-preset-recommend';
import { decodedText } from './decoded-text.mjs';
import { KnownValues } from './known-values.mjs';
import { publicIds, secretKinds } from './secret-kinds.mjs';

const presetId = '@secretlint/secretlint-rule-preset-recommend';
// A comment in a file, or a text in a log, must not switch the search off.
const filter = { id: '@secretlint/secretlint-rule-filter-comments', disabled: true };
const config = { rules: [{ id: presetId, rule: preset, rules: [filter] }] };
/** Formats that our own kinds cover with rules for the tree and for logs. */
const coveredRules = /-(?:basicauth|database-connection-string|privatekey)$/;

/**
 * @param {string} text
 * @param {{place: 'tree' | 'logs', known?: KnownValues}} options
 * @returns {Promise<{line: number, kind: string, text: string}[]>} each secret of a line once, in order
 */
export async function findSecrets(text, { place, known = new KnownValues([]) }) {
  const found = new Map();
  for (const version of [text, decodedText(text)]) {
    if (version === undefined) continue;
    const lineOf = lineCounter(version);
    const add = (index, kind, secret) => {
      const line = lineOf(index);
      const key = `${line} ${secret}`;
      if (!found.has(key)) found.set(key, { line, kind, text: secret });
    };
    for (const { value, index } of known.findIn(version)) add(index, 'known value', value);
    for (const { ruleId, range } of await otherFormats(version)) {
      add(range[0], ruleId.replace('@secretlint/secretlint-rule-', ''), version.slice(...range));
    }
    const withoutIds = place === 'tree' ? version : version.replaceAll(publicIds, (id) => '.'.repeat(id.length));
    for (const { kind, pattern, inTree, inLogs } of secretKinds) {
      const counts = place === 'tree' ? inTree : inLogs;
      for (const match of withoutIds.matchAll(pattern)) {
        const groups = match.slice(1);
        if (counts(groups)) add(match.index, kind, groups[0] ?? match[0]);
      }
    }
  }
  return [...found.values()].sort((one, other) => one.line - other.line);
}

async function otherFormats(content) {
  const { messages } = await lintSource({
    source: { filePath: 'text', content, ext: '', contentType: 'text' },
    options: { config, noPhysicFilePath: true },
  });
  return messages.filter(({ ruleId }) => !coveredRules.test(ruleId));
}

/** The line of an index, the first being 1. */
function lineCounter(text) {
  const starts = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return (index) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= index) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

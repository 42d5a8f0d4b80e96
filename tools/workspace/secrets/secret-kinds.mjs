// What counts as a secret, in addition to the formats of other vendors, which secretlint knows. A log holds nothing of
// it. In the tree, words that only look like a secret are allowed: a password in a test, an address of example.com.

/** Names whose values are secrets, in JSON and in settings. */
const secretName =
  '(?:[\\w-]*(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|private[_-]?key|cookie|code_verifier|assertion)s?)';

/** Domains of RFC 2606 and 6761, and accounts of machines. Nobody reads mail there. */
const reservedDomain =
  /(?:^|\.)(?:example\.(?:com|net|org)|example|test|invalid|localhost|iam\.gserviceaccount\.com|users\.noreply\.github\.com)$/i;

/** Hosts of connection strings in documents and tests. */
const isPlaceholderHost = (host) =>
  !host.includes('.') || host === '127.0.0.1' || host.startsWith('$') || reservedDomain.test(host);

/** Written by our masks, by templates, and in documents. */
const isMasked = (value) => /^(?:\*+|\$\{?.*|<.*|\{.*|\.\.\.|…)$/.test(value);

/**
 * Ids that open nothing: of keys, by their sum, of OAuth clients, also as the author of a change, and of grants in the
 * audit log.
 */
export const publicIds = /(?<="kid":"|"client_id":"|"by":"|"grant_id":")[\w-]{20,}/g;

/** Shorter texts are often words. */
const randomLengthMin = 20;

/** A run of random letters and digits, as keys and tokens are. Names in code have no such mix of the three kinds. */
function isRandom(text) {
  const count = (pattern) => text.match(pattern)?.length ?? 0;
  const kinds = [/[A-Z]/g, /[a-z]/g, /[0-9]/g];
  return kinds.every((kind) => count(kind) >= 2) && entropyBits(text) >= 3.5;
}

/** The parts of a path that are long enough, as a stack has one in each line; any other text as a whole. */
const randomCandidates = (text) =>
  text.startsWith('/') ? text.split('/').filter((part) => part.length >= randomLengthMin) : [text];

/** Shannon entropy of a text, in bits per character. */
function entropyBits(text) {
  const counts = new Map();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, n) => sum - (n / text.length) * Math.log2(n / text.length), 0);
}

const hasLettersAndDigits = (text) => /[a-z]/i.test(text) && /[0-9]/.test(text);

/**
 * Group 1 of a pattern is the secret; without one it is the whole match. `inTree` and `inLogs` get the groups and say
 * whether a match counts there. Without `inTree` every match counts; without `inLogs` the rule is that of the tree.
 */
export const secretKinds = [
  { kind: 'API key', pattern: /\b(svc_[0-9A-Za-z]{20,})/g },
  { kind: 'JSON Web Token', pattern: /\b(eyJ[\w-]{10,}\.[\w-]{2,}\.[\w-]*)/g },
  { kind: 'private key', pattern: /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY/g },
  {
    kind: 'password in an address',
    pattern: /\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@"'`]*:([^\s/@"'`]+)@([^\s:/@"'`?#]*)/gi,
    inTree: ([password, host]) => !isMasked(password) && (!isPlaceholderHost(host) || isRandom(password)),
    inLogs: ([password]) => !isMasked(password),
  },
  {
    kind: 'authorization header',
    pattern: /\b(?:Bearer|Basic|DPoP)\s+([\w.~+/=-]{8,})/gi,
    inTree: ([value]) => isRandom(value),
    inLogs: ([value]) => !isMasked(value),
  },
  {
    kind: 'cookie',
    pattern: /\b(?:(?:__Host-|__Secure-)|_)(?:session|interaction|interaction_resume|csrf)(?:\.sig)?=([\w.~%+-]{8,})/g,
    inTree: ([value]) => isRandom(value),
    inLogs: () => true,
  },
  {
    kind: 'value of a secret name',
    pattern: new RegExp(
      `(?<![\\w-])["'\`]?${secretName}["'\`]?\\s*(?::|=)\\s*["'\`]?([^\\s"'\`,;&<>(){}[\\]]{6,})`,
      'gi',
    ),
    inTree: ([value]) => value.length >= 20 && hasLettersAndDigits(value) && entropyBits(value) >= 3,
    inLogs: ([value]) => !isMasked(value) && !/^(?:null|true|false|undefined|\d+(?:\.\d+)?)$/.test(value),
  },
  {
    kind: 'secret of a query',
    pattern: /[?&](?:code|token|\w+_token|id_token_hint|signature|password|secret|api_key)=([^&\s"'`#]{6,})/g,
    inTree: ([value]) => isRandom(value),
    inLogs: ([value]) => !isMasked(value),
  },
  // Except sums of published content, as in a lock file.
  {
    kind: 'random text',
    pattern: /(?<![\w+/=-])(?!sha(?:256|384|512)-)([\w+/=-]{20,})/g,
    inTree: ([text]) => isRandom(text),
    inLogs: ([text]) => randomCandidates(text).some(isRandom),
  },
  {
    kind: 'e-mail address',
    pattern: /(?<![\w.%+-])([\w.%+-]+@(?:[a-z0-9-]+\.)+[a-z]{2,})\b/gi,
    inTree: ([address]) => !reservedDomain.test(address.slice(address.indexOf('@') + 1)),
    inLogs: () => true,
  },
].map((kind) => ({ inTree: () => true, inLogs: kind.inTree ?? (() => true), ...kind }));

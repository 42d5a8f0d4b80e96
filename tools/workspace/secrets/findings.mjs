// What the scans of trees, logs and images have in common: names of files that are secrets, and sentences for a person.

/** Files that are secrets as a whole, by their name. */
const secretFile = /(?:^|\/)(?:\.env(?:\..+)?|id_(?:rsa|ed25519|ecdsa)|.+\.(?:pem|key|p12|pfx|jks|keystore))$/;
const exampleFile = /\.example$/;

export const isSecretFile = (file) => secretFile.test(file) && !exampleFile.test(file);

export const secretFileSentence = (file) => `${file}: a file of this name holds secrets and does not belong here`;

/** A secret is never shown in full. */
export function secretSentence(place, { line, kind, text }) {
  return `${place}:${line}: ${kind}: ${text.slice(0, 4)}… (${text.length} characters)`;
}

// Packages come from the public registry alone, and their content is pinned.
import { foreignPackages } from './lock-file.mjs';

const registry = 'https://registry.npmjs.org/';
const exactVersion = /^\d+\.\d+\.\d+(?:-[\w.-]+)?(?:\+[\w.-]+)?$/;

/**
 * An entry without `resolved` is read from the registry by name and version; npm compares its content with the sum.
 * Packages of other platforms have no sum where the registry at hand did not have them (lock-optional.mjs).
 * @returns {string[]} a sentence for each package from elsewhere, or without a sum
 */
export function sourceFaults(packages) {
  return foreignPackages(packages).flatMap(([path, { version, resolved, integrity, optional, os, cpu }]) => {
    const isOfOtherPlatform = Boolean(optional && (os ?? cpu));
    return [
      ...(resolved === undefined || resolved.startsWith(registry) ? [] : [`${path} comes from ${resolved}`]),
      ...(exactVersion.test(version) ? [] : [`${path} has no exact version but ${version}`]),
      ...(integrity?.startsWith('sha512-') || (integrity === undefined && isOfOtherPlatform)
        ? []
        : [`${path} has no SHA-512 sum of its content`]),
    ];
  });
}

/** @returns {string[]} a sentence for each line of .npmrc that names another registry, or a token */
export function npmrcFaults(text) {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /registry|_auth|_password/i.test(line) && !/^[#;]/.test(line))
    .map((line) => `.npmrc names a registry or a credential: ${line.split('=')[0]}`);
}

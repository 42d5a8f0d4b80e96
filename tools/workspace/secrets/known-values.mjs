// Finds given values in a text, thousands of them in one pass: an index by their first characters.

const prefixLength = 8;

/** @throws when a value is too short to be searched for */
export class KnownValues {
  #byPrefix = new Map();

  constructor(values) {
    for (const value of new Set(values)) {
      if (value.length < prefixLength) throw new Error(`a known value has fewer than ${prefixLength} characters`);
      const prefix = value.slice(0, prefixLength);
      this.#byPrefix.set(prefix, [...(this.#byPrefix.get(prefix) ?? []), value]);
    }
  }

  /** @returns {{value: string, index: number}[]} */
  findIn(text) {
    if (this.#byPrefix.size === 0) return [];
    const found = [];
    for (let index = 0; index <= text.length - prefixLength; index += 1) {
      for (const value of this.#byPrefix.get(text.slice(index, index + prefixLength)) ?? []) {
        if (text.startsWith(value, index)) found.push({ value, index });
      }
    }
    return found;
  }
}

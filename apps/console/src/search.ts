// What an address may hold of a screen's state: texts that are not empty, and nothing else. A service judges the
// values.

type Search<Name extends string> = Partial<Record<Name, string>>;

/** Reads the given names of an address; others are dropped. */
export function textsOf<const Name extends string>(...names: Name[]) {
  return (search: Record<string, unknown>): Search<Name> => {
    const found: Search<Name> = {};
    for (const name of names) {
      const value = search[name];
      if (typeof value === 'number' || typeof value === 'boolean') found[name] = String(value);
      if (typeof value === 'string' && value !== '') found[name] = value;
    }
    return found;
  };
}

// What may follow `npm start --` and `npm run dev --`.
import { parseArgs } from 'node:util';

// Node alone runs this file before the build (start.mjs): erasable TypeScript only, and no relative imports. So the
// names of the services are given.

export interface StartOptions<Name extends string> {
  /** `--explore`: larger limits of the data API. */
  isExploring: boolean;
  /** `npm run dev`: the services that run from source and reload at a change; all unless some are named. */
  reloading: readonly Name[];
}

/** @returns what `--help` prints, if the words ask for it */
export function helpOf(words: readonly string[], serviceNames: readonly string[]): string | undefined {
  if (!words.includes('--help') && !words.includes('-h')) return undefined;
  const isDev = words.includes('--dev');
  const command = isDev ? 'npm run dev' : 'npm start';
  return `Usage: ${command} [-- ${isDev ? '[--explore] [SERVICE...]' : '--explore'}]

${
  isDev
    ? `Runs the platform with services that reload when a file is saved; the others run as built. Without names, all
reload: ${serviceNames.join(', ')}.`
    : 'Runs the whole platform with sample data on embedded parts, until Ctrl-C. The state is in .data/.'
}
--explore gives larger limits of the data API. .env.example lists the settings, such as PORT_BASE and DATA_DIR.

Examples:
  ${command}${isDev ? ' -- identity' : ''}
  ${command} -- --explore
  PORT_BASE=5000 DATA_DIR=.data-2 ${command}
`;
}

/** @throws a sentence that says what is allowed */
export function startOptions<Name extends string>(
  words: readonly string[],
  serviceNames: readonly Name[],
): StartOptions<Name> {
  const isDev = words.includes('--dev');
  const { explore, names } = parsed(words, isDev, serviceNames);
  const reloading = serviceNames.filter((name) => isDev && (names.length === 0 || names.includes(name)));
  return { isExploring: explore, reloading };
}

function parsed(
  words: readonly string[],
  isDev: boolean,
  serviceNames: readonly string[],
): { explore: boolean; names: string[] } {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: { explore: { type: 'boolean', default: false }, dev: { type: 'boolean' } },
      allowPositionals: isDev,
    });
    if (positionals.every((name) => serviceNames.includes(name)))
      return { explore: values.explore, names: positionals };
  } catch {
    // An unknown option: the sentence below says what there is.
  }
  const given = words.filter((word) => word !== '--dev').join(' ');
  throw new Error(
    isDev
      ? `npm run dev takes --explore and names of services (${serviceNames.join(', ')}), not: ${given}`
      : `npm start takes one option, --explore, not: ${given}`,
  );
}

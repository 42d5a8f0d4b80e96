// The platform that the demo works on: one that runs already, or one of its own that it stops again.
import pg from 'pg';
import { Platform } from './platform.js';
import { type LocalProcessName, portOf, serviceNames } from './ports.js';
import type { LocalSettings } from './settings.js';

export interface DemoPlatform {
  settings: LocalSettings;
  databaseUrl: string;
  address: (name: LocalProcessName) => string;
  /** Whether the demo started it. */
  isOwn: boolean;
  /** Resolves with a sentence when a platform of our own dies. */
  failed: Promise<string>;
  stop(): Promise<void>;
}

/**
 * @param interrupted rejects when the demo is interrupted; what was started is stopped then
 * @throws when only a part of a platform answers: then the demo can neither use it nor start another
 */
export async function findOrStartPlatform(
  settings: LocalSettings,
  report: (line: string) => void,
  interrupted: Promise<never>,
): Promise<DemoPlatform> {
  const address = (name: LocalProcessName) => `http://127.0.0.1:${portOf(settings.portBase, name)}`;
  const known = { settings, databaseUrl: settings.databaseUrl ?? embeddedDatabaseUrl(settings), address };
  const silent = await silentServices(address);
  if (silent.length === 0) {
    report(`using the platform that runs on ${address('identity')}`);
    return { ...known, isOwn: false, failed: new Promise(() => undefined), stop: async () => undefined };
  }
  if (silent.length < serviceNames.length) {
    throw new Error(
      `Some services answer, but not ${silent.join(', ')}. Stop that platform, or wait until it is ready.`,
    );
  }
  report('no platform runs here: starting one, and stopping it again at the end');
  const platform = await Platform.open(settings, report);
  try {
    await Promise.race([
      platform.start(),
      interrupted,
      platform.failed.then((sentence) => {
        throw new Error(sentence);
      }),
    ]);
  } catch (error) {
    await platform.stop();
    throw error;
  }
  return { ...known, isOwn: true, failed: platform.failed, stop: async () => platform.stop() };
}

async function silentServices(address: (name: LocalProcessName) => string): Promise<string[]> {
  const answers = await Promise.all(
    serviceNames.map(async (name) => {
      try {
        const answer = await fetch(`${address(name)}/health`, { signal: AbortSignal.timeout(3_000) });
        const body = (await answer.json()) as { service?: string };
        if (body.service !== name) throw new Error(`Something else than ${name} listens on ${address(name)}.`);
        return undefined;
      } catch (error) {
        // Without a connection or a health page the service is not there.
        if (error instanceof Error && error.message.startsWith('Something else')) throw error;
        return name;
      }
    }),
  );
  return answers.filter((name) => name !== undefined);
}

/** The embedded server has this one account, and listens on the loopback interface only. */
function embeddedDatabaseUrl({ portBase }: LocalSettings): string {
  return `postgres://postgres:postgres@127.0.0.1:${portOf(portBase, 'postgresql')}/tradewind`;
}

/** Looks past the services, into the database. */
export async function selectFrom<T extends pg.QueryResultRow>(
  { databaseUrl }: DemoPlatform,
  query: string,
  values: unknown[],
): Promise<T[]> {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    return (await database.query<T>(query, values)).rows;
  } finally {
    await database.end();
  }
}

#!/usr/bin/env node
// `npx tradewind SERVICE COMMAND ...`: an operator command of a service of the local platform, with the settings that
// `npm start` wrote to the data folder (DATA_DIR). The images have a command of the same name.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import './load-env.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

const services = {
  identity: 'users, OAuth clients, signing keys, the audit log, service tokens',
  'graphql-gateway': 'API keys of the data API, the index in OpenSearch',
  interactions: 'what the runs of a company may cost: budgets',
  'priority-api': 'messages that could not be used, profiles of a month',
  'priority-webhook': 'scraped profiles, webhooks that named no profile',
  coordinator: 'the monthly run and its report',
};

export const usage = `Usage: npx tradewind SERVICE COMMAND ...

Services:
${Object.entries(services)
  .map(([name, purpose]) => `  ${name.padEnd(18)}${purpose}`)
  .join('\n')}

Examples:
  npx tradewind identity user list
  npx tradewind interactions budget list
  npx tradewind coordinator report --names
  npx tradewind identity --help
`;

/**
 * The environment of a command: that of the shell, with the settings of the service of the platform in DATA_DIR.
 * @param {string} service
 * @param {Record<string, string | undefined>} env
 * @throws {Error} a sentence that says what to do
 */
export function commandEnvironment(service, env, rootDir = root) {
  const folder = resolve(rootDir, env.DATA_DIR || '.data');
  const file = join(folder, 'settings', `${service}.env`);
  if (!existsSync(file))
    throw new Error(`No platform has been started on ${folder}. Run npm start first, with the same DATA_DIR.`);
  const settings = parseEnv(readFileSync(file, 'utf8'));
  const portBase = URL.canParse(settings.OAUTH_ISSUER) ? new URL(settings.OAUTH_ISSUER).port : undefined;
  if (!portBase || !URL.canParse(settings.DATABASE_URL ?? ''))
    throw new Error(`${file} is damaged. Delete it; the next npm start writes it again.`);
  if (env.PORT_BASE && env.PORT_BASE !== portBase)
    throw new Error(
      `PORT_BASE is ${env.PORT_BASE}, but the platform on ${folder} was started with ${portBase}. ` +
        'Set DATA_DIR to the folder of the other one.',
    );
  return { ...env, ...settings, ...(env.LOG_LEVEL ? { LOG_LEVEL: env.LOG_LEVEL } : {}) };
}

/** Throws when nothing listens there; the command would wait for half a minute. */
async function assertRunning({ DATABASE_URL }) {
  const { hostname, port } = new URL(DATABASE_URL);
  await new Promise((resolve, reject) => {
    const socket = connect(Number(port || 5432), hostname, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', () =>
      reject(new Error(`The database of the platform does not answer on ${hostname}:${port}. Run npm start first.`)),
    );
  });
}

/** What the platform has compiled for its own starts, once that is complete (tools/local-stack). */
function useCompileCache({ DATA_DIR }) {
  const folder = join(resolve(root, DATA_DIR || '.data'), 'compile-cache');
  if (existsSync(join(folder, 'complete'))) enableCompileCache(folder);
}

async function main() {
  const [service, ...words] = process.argv.slice(2);
  if (service === undefined || service === '--help' || service === '-h') return process.stdout.write(usage);
  if (!Object.hasOwn(services, service)) throw new Error(`There is no service "${service}".\n\n${usage}`);
  const program = join(root, 'apps', service, 'dist/main.js');
  const isBuilt = existsSync(program);
  if (!isBuilt) throw new Error('The services are not built. Run npm start first, or npm run build.');
  const isHelp = words.length === 0 || words.includes('--help') || words.includes('-h') || words[0] === 'help';
  const needsSettings = !isHelp && words[0] !== 'service-token';
  if (needsSettings) {
    Object.assign(process.env, commandEnvironment(service, process.env));
    await assertRunning(process.env);
  }
  useCompileCache(process.env);
  process.argv.splice(1, Infinity, program, ...(words.length === 0 ? ['--help'] : words));
  await import(program);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    await main();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

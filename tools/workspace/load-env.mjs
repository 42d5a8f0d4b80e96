// Reads .env of the checkout, when there is one. Variables of the shell win. Node's own --env-file-if-exists says so
// when there is none, at every start.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import './check-installed.mjs';

const file = fileURLToPath(new URL('../../.env', import.meta.url));
if (existsSync(file)) process.loadEnvFile(file);

// Starts the console's server until SIGTERM or SIGINT.
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createConsoleServer } from './console-server.js';
import { readConsoleSettings } from './console-settings.js';

function start(): void {
  const settings = readConsoleSettings(process.env);
  const server = createConsoleServer(settings, fileURLToPath(new URL('./web/', import.meta.url)));
  server.listen(settings.PORT, settings.HOST, () => {
    // A listening TCP server has an AddressInfo.
    const { port } = server.address() as AddressInfo;
    log({ level: 'info', msg: 'console started', port });
  });
  const stop = () => {
    server.close(() => process.exit(0));
    server.closeIdleConnections();
    // Answers are in memory; whoever takes longer than this has gone.
    setTimeout(() => process.exit(0), 5000).unref();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

function log(line: object): void {
  process.stdout.write(`${JSON.stringify({ ...line, service: 'console', time: new Date().toISOString() })}\n`);
}

try {
  start();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

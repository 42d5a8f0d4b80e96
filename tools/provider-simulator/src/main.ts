// The simulator as a process of the local platform: `PORT=4010 SEED=1 node dist/main.js`.
import { readEnvironment } from './settings.js';
import { startSimulator } from './simulator.js';

try {
  const { host, port, settings } = readEnvironment(process.env);
  const simulator = await startSimulator({ ...settings, host, port });
  console.log(`provider simulator listens on ${simulator.url}, seed ${settings.seed}`);
  const stop = () => {
    void simulator.close().then(() => process.exit(0));
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

// The simulator as a process of the local platform: `PORT=4010 SEED=1 node dist/main.js`.
import { startSimulator } from './simulator.js';

const { PORT, HOST, SEED, TOKEN, STATE_FILE } = process.env;
try {
  const seed = SEED || '1';
  const simulator = await startSimulator({
    host: HOST || '127.0.0.1',
    port: Number(PORT || 4010),
    seed,
    token: TOKEN || undefined,
    stateFile: STATE_FILE || undefined,
  });
  console.log(`provider simulator listens on ${simulator.url}, seed ${seed}`);
  const stop = () => {
    void simulator.close().then(() => process.exit(0));
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

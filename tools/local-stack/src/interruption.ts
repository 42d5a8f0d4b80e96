const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const parentPollMs = 500;

/**
 * Resolves at a signal, or when the npm that runs this process is gone. Signals are passed on by npm, but not when it
 * is killed. Then nobody else would stop what was started here.
 * @param onAgain called at every further signal
 */
export async function interruption(onAgain: () => void = () => undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    let count = 0;
    for (const signal of signals) {
      process.on(signal, () => {
        count += 1;
        if (count === 1) resolve();
        else onAgain();
      });
    }
    if (process.env['npm_lifecycle_event'] === undefined) return;
    const parent = process.ppid;
    const poll = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(poll);
      resolve();
    }, parentPollMs);
    poll.unref();
  });
}

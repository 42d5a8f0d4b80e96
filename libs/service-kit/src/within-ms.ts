/** The result of the work, or a rejection when it takes longer. The work itself goes on. */
export async function withinMs<T>(timeoutMs: number, work: () => Promise<T> | T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no result within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([(async () => work())(), late]);
  } finally {
    clearTimeout(timer);
  }
}

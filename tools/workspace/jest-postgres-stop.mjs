// Jest's globalTeardown: stops the server that this process started, if it did.
export default async function stopPostgres() {
  await globalThis.testPostgres?.stop();
  globalThis.testPostgres = undefined;
}

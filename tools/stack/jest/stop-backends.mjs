/** Global teardown of the unit tests: ends what the setup started. */
export default async function stopBackendsForTests() {
  await globalThis.stopTestBackends?.();
}

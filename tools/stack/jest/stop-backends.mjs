/** Global teardown of the unit tests: stops what the setup started. */
export default async function stopBackendsForTests() {
  await globalThis.stopTestBackends?.();
}

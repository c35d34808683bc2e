export default async function stopBackendsForTests() {
  await globalThis.stopTestBackends?.();
}

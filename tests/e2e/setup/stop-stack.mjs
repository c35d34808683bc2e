/** Stops what the setup started. */
export default async function stopStackAfterTests() {
  await globalThis.stopE2eStack?.();
}

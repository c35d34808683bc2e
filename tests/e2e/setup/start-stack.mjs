import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Starts a platform for this run, with backends and data of its own; or takes the running one whose state folder
 * E2E_STATE_DIR names. The dev.json in there is how the tests reach it.
 */
export default async function startStackForTests() {
  if (process.env.E2E_STATE_DIR) return;
  // Jest loads this file as it is, without its transform: it needs the built library.
  const { lineReport, startStack } = await import('../../../tools/stack/dist/index.js');
  const stateDir = await mkdtemp(path.join(tmpdir(), 'dtplatform-e2e-'));
  const { MONGO_URL: _mongo, REDIS_URL: _redis, S3_ENDPOINT: _s3, ...env } = process.env;
  const stack = await startStack({ stateDir, report: lineReport(), env });
  process.env.E2E_STATE_DIR = stateDir;
  globalThis.stopE2eStack = async () => {
    await stack.stop();
    await rm(stateDir, { recursive: true, force: true });
  };
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Starts a platform for this run, with separate backends and data, or uses the running one whose state folder is
 * E2E_STATE_DIR. The tests find it through the dev.json in that folder.
 */
export default async function startStackForTests() {
  if (process.env.E2E_STATE_DIR) return;
  // Jest loads this file without its transform, so it needs the built library.
  const { lineReport, startStack } = await import('../../../tools/stack/dist/index.js');
  const stateDir = await mkdtemp(path.join(tmpdir(), 'dtplatform-e2e-'));
  const { MONGO_URL: _mongo, REDIS_URL: _redis, S3_ENDPOINT: _s3, ...env } = process.env;
  const stack = await startStack({ stateDir, report: lineReport(), env });
  process.env.E2E_STATE_DIR = stateDir;
  process.env.E2E_REDIS_URL = stack.backends.redisUrl;
  globalThis.stopE2eStack = async () => {
    await stack.stop();
    await rm(stateDir, { recursive: true, force: true });
  };
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const NAMED = ['MONGO_URL', 'REDIS_URL', 'S3_ENDPOINT'];

/** Jest's global setup: uses the backends in the environment, or starts them for this run. */
export default async function startBackendsForTests() {
  if (NAMED.every((name) => process.env[name])) return;
  // Jest loads this file without its transform, so it needs the built library.
  const { lineReport, startBackends } = await import('../dist/index.js');
  const dataDir = await mkdtemp(path.join(tmpdir(), 'dtplatform-test-'));
  const backends = await startBackends({ dataDir, report: lineReport() });
  Object.assign(process.env, {
    MONGO_URL: backends.mongoUrl,
    REDIS_URL: backends.redisUrl,
    S3_ENDPOINT: backends.s3.endpoint,
    S3_REGION: backends.s3.region,
    S3_ACCESS_KEY: backends.s3.accessKey,
    S3_SECRET_KEY: backends.s3.secretKey,
  });
  globalThis.stopTestBackends = async () => {
    await backends.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}

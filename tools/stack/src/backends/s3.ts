import { until } from '../processes/until.js';
import type { BackendSpec, Program } from './backend-spec.js';
import type { S3Connection } from './types.js';

const REGION = 'us-east-1';

const versitygw: Program = {
  binary: 'versitygw',
  args: ({ host, port, dir }) => [
    '--port',
    `${host}:${port}`,
    '--region',
    REGION,
    '--keep-alive',
    '--quiet',
    'posix',
    dir,
  ],
};

const minio: Program = {
  binary: 'minio',
  args: ({ host, port, dir }) => ['server', '--quiet', '--address', `${host}:${port}`, dir],
};

/** An S3 server that stores objects as files. */
export const s3: BackendSpec<S3Connection> = {
  name: 's3',
  title: 'S3 server',
  setting: 'S3_ENDPOINT',
  fromEnvironment,
  programs: [versitygw, minio],
  container: { image: 'docker.io/versity/versitygw:v1.8.0', program: versitygw },
  packages: Object.fromEntries(
    ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'].map((platform) => [
      platform,
      {
        kind: 'go',
        name: 'versitygw',
        version: 'v1.8.0',
        module: 'github.com/versity/versitygw/cmd/versitygw',
        program: versitygw,
      },
    ]),
  ),
  wayOut:
    'install Go or put `versitygw` or `minio` on the PATH, or set S3_ENDPOINT, S3_ACCESS_KEY and S3_SECRET_KEY to a server of yours',
  connection: (port, credentials) => ({ endpoint: `http://127.0.0.1:${port}`, region: REGION, ...credentials }),
  environment: ({ accessKey, secretKey }) => ({
    ROOT_ACCESS_KEY: accessKey,
    ROOT_SECRET_KEY: secretKey,
    MINIO_ROOT_USER: accessKey,
    MINIO_ROOT_PASSWORD: secretKey,
  }),
  untilReady: (connection, signal) =>
    until('the S3 server', () => answers(connection).then(...yesOrNo), { timeoutMs: 60_000, signal }),
  check: answers,
};

const yesOrNo = [() => true, () => false] as const;

function fromEnvironment(env: NodeJS.ProcessEnv): S3Connection | undefined {
  if (!env.S3_ENDPOINT) return undefined;
  if (!env.S3_ACCESS_KEY || !env.S3_SECRET_KEY)
    throw new Error('S3_ENDPOINT is set, so S3_ACCESS_KEY and S3_SECRET_KEY must be set too');
  return {
    endpoint: env.S3_ENDPOINT,
    region: env.S3_REGION || REGION,
    accessKey: env.S3_ACCESS_KEY,
    secretKey: env.S3_SECRET_KEY,
  };
}

/** It refuses requests without a signature, but any response shows that it is running. */
async function answers({ endpoint }: S3Connection): Promise<void> {
  const response = await fetch(endpoint, { signal: AbortSignal.timeout(5_000) }).catch((error: unknown) => {
    throw (error as Error).cause ?? error; // fetch itself only says that it failed
  });
  await response.body?.cancel();
}

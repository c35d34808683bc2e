import type { BackendSpec, Program } from './backend-spec.js';
import type { S3Connection } from './types.js';

const REGION = 'us-east-1';

const versitygw: Program = {
  binary: 'versitygw',
  args: ({ host, port, dir }) => [
    ...['--port', `${host}:${port}`, '--region', REGION, '--keep-alive', '--quiet'],
    ...['posix', dir],
  ],
};

const minio: Program = {
  binary: 'minio',
  args: ({ host, port, dir }) => ['server', '--quiet', '--address', `${host}:${port}`, dir],
};

const withVersitygw: BackendSpec<S3Connection> = {
  name: 's3',
  title: 'S3 server',
  setting: 'S3_ENDPOINT',
  fromEnvironment,
  programs: [versitygw, minio],
  image: 'docker.io/versity/versitygw:v1.8.0',
  package: {
    kind: 'go',
    name: 'versitygw',
    version: 'v1.8.0',
    module: 'github.com/versity/versitygw/cmd/versitygw',
  },
  wayOut:
    'install Go or put `versitygw` or `minio` on the PATH, or set S3_ENDPOINT, S3_ACCESS_KEY and S3_SECRET_KEY to a server of yours',
  connection: (port, credentials) => ({ endpoint: `http://127.0.0.1:${port}`, region: REGION, ...credentials }),
  environment: ({ accessKey, secretKey }) => ({
    ROOT_ACCESS_KEY: accessKey,
    ROOT_SECRET_KEY: secretKey,
    MINIO_ROOT_USER: accessKey,
    MINIO_ROOT_PASSWORD: secretKey,
  }),
  check: answers,
};

/** Takes minutes to build. Its data format differs, so it has a separate folder. */
const withMinio: BackendSpec<S3Connection> = {
  ...withVersitygw,
  folder: 's3-minio',
  programs: [minio],
  image: 'docker.io/minio/minio:RELEASE.2025-09-07T16-13-09Z',
  package: {
    kind: 'go',
    name: 'minio',
    version: 'v0.0.0-20260212201848-7aac2a2c5b7c',
    module: 'github.com/minio/minio',
  },
};

/** The S3 server named by `S3_SERVER`. @throws for an unknown name */
export function s3Server({ S3_SERVER: name }: NodeJS.ProcessEnv): BackendSpec<S3Connection> {
  if (!name || name === 'versitygw') return withVersitygw;
  if (name === 'minio') return withMinio;
  throw new Error('S3_SERVER must be versitygw or minio');
}

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

/** Requests without a signature are rejected, but any response shows that the server is running. */
async function answers({ endpoint }: S3Connection): Promise<void> {
  const response = await fetch(endpoint, { signal: AbortSignal.timeout(5_000) }).catch((error: unknown) => {
    throw (error as Error).cause ?? error; // fetch only reports that it failed, not why
  });
  await response.body?.cancel();
}

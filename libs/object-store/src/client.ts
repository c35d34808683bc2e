import { S3Client } from '@aws-sdk/client-s3';
import { sendPayloadUnsigned } from './unsigned-payload.js';

const CONNECTION_TIMEOUT_MS = 2_000;
const IDLE_SOCKET_TIMEOUT_MS = 30_000;
const MAX_SOCKETS = 256;
const MAX_ATTEMPTS = 3;
/** Errors are logged once, at the edge; the SDK would log them to the console as well. */
const ignore = () => undefined;
const silent = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

export interface S3Access {
  endpoint: string;
  region: string;
  accessKey: string;
  secretKey: string;
}

/**
 * A client for any S3-compatible server. Differs from the SDK's defaults where they are slow or only suit Amazon S3:
 * - checksums only where the protocol requires them: by default the SDK computes a CRC32 of every body in JavaScript;
 * - no `Expect: 100-continue`: with it the SDK opens a new connection for each part, and waits;
 * - unsigned payloads (see `sendPayloadUnsigned`).
 */
export function createClient({ endpoint, region, accessKey, secretKey }: S3Access): S3Client {
  const agent = { keepAlive: true, maxSockets: MAX_SOCKETS };
  const client = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    maxAttempts: MAX_ATTEMPTS,
    logger: silent,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      socketTimeout: IDLE_SOCKET_TIMEOUT_MS,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
  sendPayloadUnsigned(client);
  return client;
}

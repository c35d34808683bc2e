import type { AgentOptions } from 'node:http';
import { S3Client } from '@aws-sdk/client-s3';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { getProxyForUrl } from 'proxy-from-env';

const CONNECTION_TIMEOUT_MS = 2_000;
const IDLE_SOCKET_TIMEOUT_MS = 30_000;
const MAX_SOCKETS = 256;
const MAX_ATTEMPTS = 3;
/** Errors are logged once, at the edge; the SDK would also write them to the console. */
const ignore = () => undefined;
const silent = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

export interface S3Access {
  endpoint: string;
  region: string;
  /** Without keys, the SDK finds those of the process's cloud identity (its default chain) and renews them. */
  accessKey?: string;
  secretKey?: string;
  /** A client certificate and its private key, in PEM. */
  clientCertificate?: string;
  /** Default true: the bucket's name is in the path of URLs, not in the host name. */
  forcePathStyle?: boolean;
}

/**
 * A client for any S3-compatible server. It differs from the SDK's defaults where they are slow or specific to Amazon
 * S3:
 * - checksums only where the protocol requires them: by default the SDK computes a CRC32 of every body in JavaScript;
 * - no `Expect: 100-continue`, for which the SDK opens a connection per part and waits;
 * - unsigned payloads (see `sendPayloadUnsigned`).
 *
 * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` apply.
 */
export function createClient({
  endpoint,
  region,
  forcePathStyle = true,
  clientCertificate,
  ...keys
}: S3Access): S3Client {
  const proxy = getProxyForUrl(endpoint);
  const agent = { keepAlive: true, maxSockets: MAX_SOCKETS };
  const secureAgent = { ...agent, cert: clientCertificate, key: clientCertificate };
  const proxyAgent = proxy ? new S3ProxyAgent(proxy, agent, clientCertificate) : undefined;
  const client = new S3Client({
    endpoint,
    region,
    ...credentialsOf(keys),
    forcePathStyle,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    maxAttempts: MAX_ATTEMPTS,
    logger: silent,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      socketTimeout: IDLE_SOCKET_TIMEOUT_MS,
      httpAgent: proxyAgent ?? agent,
      httpsAgent: proxyAgent ?? secureAgent,
    },
  });
  sendPayloadUnsigned(client);
  return client;
}

/** The certificate is for the S3 server, not for the proxy. */
class S3ProxyAgent extends HttpsProxyAgent<string> {
  constructor(
    proxy: string,
    options: AgentOptions,
    private readonly clientCertificate: string | undefined,
  ) {
    super(proxy, options);
  }

  override connect(...[req, options]: Parameters<HttpsProxyAgent<string>['connect']>) {
    const certificate = { cert: this.clientCertificate, key: this.clientCertificate };
    return super.connect(req, options.secureEndpoint ? { ...options, ...certificate } : options);
  }
}

function credentialsOf({ accessKey, secretKey }: Pick<S3Access, 'accessKey' | 'secretKey'>) {
  if (!accessKey !== !secretKey) throw new Error('S3_ACCESS_KEY and S3_SECRET_KEY belong together');
  return accessKey && secretKey && { credentials: { accessKeyId: accessKey, secretAccessKey: secretKey } };
}

const COMMANDS = new Set(['PutObjectCommand', 'UploadPartCommand']);

interface HttpRequest {
  headers: Record<string, string>;
}

/**
 * Sends bodies of objects and parts as `UNSIGNED-PAYLOAD` (AWS Signature Version 4, "Create a canonical request"): the
 * signature covers the request line and headers, not a SHA-256 of the body. This is the SDK's default over https. Over
 * http it would hash each body on the main thread, at half a second to two seconds per gigabyte, without protecting the
 * content from anyone who can reach the connection: use https unless the network is trusted.
 */
function sendPayloadUnsigned(client: S3Client): void {
  client.middlewareStack.add(
    (next, context) => (args) => {
      if (COMMANDS.has(context.commandName ?? '')) {
        (args.request as HttpRequest).headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
      }
      return next(args);
    },
    { step: 'build', name: 'sendPayloadUnsigned' },
  );
}

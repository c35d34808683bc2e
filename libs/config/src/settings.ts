import { z } from 'zod';

/** Comma-separated text; empty entries are dropped. */
export const commaSeparated = z
  .string()
  .transform((text) => text.split(',').map((entry) => entry.trim()))
  .transform((entries) => entries.filter((entry) => entry !== ''));

export const flag = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1');

export const wholeNumber = (min = 0, max = Number.MAX_SAFE_INTEGER) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.number().min(min).max(max));

export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://' });

const port = wholeNumber(0, 65_535);

export const processSettings = {
  NODE_ENV: z.enum(['production', 'development', 'test']).default('production'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** Address to listen on; by default all, of IPv6 too if the machine has it. */
  HOST: z.string().optional(),
  ADMIN_PORT: port.default(9090),
  /** Deadline of a shutdown, in milliseconds. */
  SHUTDOWN_GRACE_MS: wholeNumber(1).default(25_000),
  /** OTLP endpoint for traces; unset disables them. The OpenTelemetry SDK reads its other settings itself. */
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
};

export const httpSettings = {
  PORT: port.default(8080),
  /** The public URL of the platform, without a trailing slash. */
  BASE_URL: httpUrl.transform((url) => url.replace(/\/+$/, '')),
  /**
   * How long requests are still accepted after a shutdown begins, in milliseconds, because load balancers notice late.
   */
  SHUTDOWN_DRAIN_MS: wholeNumber(0).default(1_000),
  /**
   * Keep-alive timeout of idle connections, in milliseconds. It must exceed that of the load balancer (usually 60 to 75
   * seconds), so that the load balancer closes first.
   */
  KEEP_ALIVE_MS: wholeNumber(1_000).default(100_000),
  /** Origins allowed by CORS. `*` allows all; inside an origin it matches any port or subdomain. */
  CORS_ORIGINS: commaSeparated.default([]),
  /** Requests per minute per user; 0 disables the limit. */
  RATE_LIMIT_PER_USER: wholeNumber(0).default(0),
  /** Requests per minute per app, including those of its users; 0 disables the limit. */
  RATE_LIMIT_PER_APP: wholeNumber(0).default(0),
};

/** Verification of tokens, and the credentials for calls to other services. */
export const authSettings = {
  OAUTH_ISSUER: httpUrl,
  /** The `aud` of access tokens, the same in all services. Defaults to `BASE_URL`. */
  OAUTH_AUDIENCE: z.string().min(1).optional(),
  JWKS_URL: httpUrl,
  TOKEN_URL: httpUrl,
  SERVICE_CLIENT_ID: z.string().min(1),
  SERVICE_CLIENT_SECRET: z.string().min(16),
  OBJECTMODELSVC_URL: httpUrl,
};

export const mongoSettings = {
  MONGO_URL: z.string().regex(/^mongodb(\+srv)?:\/\//, 'must start with mongodb:// or mongodb+srv://'),
  MONGO_DB: z.string().regex(/^[A-Za-z0-9_-]{1,63}$/, 'must be 1 to 63 letters, digits, _ or -'),
};

export const redisSettings = {
  REDIS_URL: z
    .string()
    .regex(
      /^rediss?(-sentinel|-cluster)?:\/\//,
      'must start with redis://, redis-sentinel:// or redis-cluster://, or rediss for TLS',
    ),
};

export const s3Settings = {
  S3_ENDPOINT: httpUrl,
  /** The object store's URL for callers, if it differs from `S3_ENDPOINT`. */
  S3_PUBLIC_ENDPOINT: httpUrl.optional(),
  S3_REGION: z.string().default('us-east-1'),
  /** Without it and `S3_SECRET_KEY`, the SDK finds the credentials of the process's cloud identity. */
  S3_ACCESS_KEY: z.string().optional(),
  S3_SECRET_KEY: z.string().optional(),
  /** A client certificate and its private key, in PEM. */
  S3_CLIENT_CERTIFICATE: z.string().optional(),
  /** Whether the bucket's name is in the path of URLs; otherwise it is in the host name. */
  S3_FORCE_PATH_STYLE: flag.default(true),
  S3_BUCKET: z.string().min(3),
};

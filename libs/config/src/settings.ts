import { z } from 'zod';

/** Comma-separated text, as an array without empty entries. */
export const commaSeparated = z
  .string()
  .transform((text) => text.split(',').map((entry) => entry.trim()))
  .transform((entries) => entries.filter((entry) => entry !== ''));

/** `true`/`false`, `1`/`0`, as a boolean. */
export const flag = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1');

/** A decimal integer from `min` to `max`. */
export const wholeNumber = (min = 0, max = Number.MAX_SAFE_INTEGER) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.number().min(min).max(max));

export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://' });

const port = wholeNumber(0, 65_535);

/** Settings of every process. */
export const processSettings = {
  NODE_ENV: z.enum(['production', 'development', 'test']).default('production'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  HOST: z.string().default('0.0.0.0'),
  /** Port of `/livez`, `/readyz` and `/metrics`. */
  ADMIN_PORT: port.default(9090),
  /** How long a shutdown may take, in milliseconds. */
  SHUTDOWN_GRACE_MS: wholeNumber(1).default(25_000),
  /** Where traces are sent (OTLP over HTTP); none are without it. The OpenTelemetry SDK reads its other settings itself. */
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
};

/** Settings of every service with an HTTP API. */
export const httpSettings = {
  PORT: port.default(8080),
  /** The URL at which callers reach the platform, without a trailing slash. */
  BASE_URL: httpUrl.transform((url) => url.replace(/\/+$/, '')),
  /** How long requests are still accepted after a shutdown begins, in milliseconds: load balancers notice it late. */
  SHUTDOWN_DRAIN_MS: wholeNumber(0).default(1_000),
  /**
   * How long an idle connection is kept alive, in milliseconds. Must be longer than in the load balancer (usually 60 to
   * 75 seconds), which must be the one that closes.
   */
  KEEP_ALIVE_MS: wholeNumber(1_000).default(100_000),
  /** Origins allowed by CORS. `*` allows all; within an origin it stands for any port or subdomain. */
  CORS_ORIGINS: commaSeparated.default([]),
  /** Requests per minute of one user; 0 for no limit. */
  RATE_LIMIT_PER_USER: wholeNumber(0).default(0),
  /** The same of one app, with those of its users. */
  RATE_LIMIT_PER_APP: wholeNumber(0).default(0),
};

/** How tokens are verified, and the credentials for calls to other services. */
export const authSettings = {
  OAUTH_ISSUER: httpUrl,
  /** The `aud` of access tokens; `BASE_URL` by default. The same in all services. */
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
  REDIS_URL: z.string().regex(/^rediss?:\/\//, 'must start with redis:// or rediss://'),
};

export const s3Settings = {
  S3_ENDPOINT: httpUrl,
  /** Where callers reach the object store, if not at `S3_ENDPOINT`. */
  S3_PUBLIC_ENDPOINT: httpUrl.optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_ACCESS_KEY: z.string().min(1),
  S3_SECRET_KEY: z.string().min(1),
  S3_BUCKET: z.string().min(3),
};

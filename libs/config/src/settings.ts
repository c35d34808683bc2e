import { z } from 'zod';

/** Text of comma-separated entries, as an array. */
export const commaSeparated = z
  .string()
  .transform((text) => text.split(',').map((entry) => entry.trim()))
  .transform((entries) => entries.filter((entry) => entry !== ''));

/** `true`/`false`, `1`/`0`, as a boolean. */
export const flag = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1');

/** A whole number of at least `min`, written in decimal. */
export const wholeNumber = (min = 0, max = Number.MAX_SAFE_INTEGER) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.number().min(min).max(max));

/** A URL that can be called. */
export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' });

const port = wholeNumber(0, 65_535);

/** What every process needs. */
export const processSettings = {
  NODE_ENV: z.enum(['production', 'development', 'test']).default('production'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  HOST: z.string().default('0.0.0.0'),
  /** Port of `/livez`, `/readyz` and `/metrics`. */
  ADMIN_PORT: port.default(9090),
  /** How long a stop may take, in milliseconds. */
  SHUTDOWN_GRACE_MS: wholeNumber(1).default(25_000),
};

/** What every service with an HTTP interface needs. */
export const httpSettings = {
  PORT: port.default(8080),
  /** The URL by which callers reach the platform, without a trailing slash. */
  BASE_URL: httpUrl.transform((url) => url.replace(/\/+$/, '')),
  /** How long requests are still taken after a stop was asked for, in milliseconds: load balancers hear of it late. */
  SHUTDOWN_DRAIN_MS: wholeNumber(0).default(1_000),
  /**
   * How long an idle connection is kept, in milliseconds. Longer than the load balancer in front keeps its own, which must
   * close first: usual ones keep them for 60 to 75 seconds.
   */
  KEEP_ALIVE_MS: wholeNumber(1_000).default(80_000),
  /** Origins of browsers that may call; `*` for all, a `*` inside stands for any port or subdomain. */
  CORS_ORIGINS: commaSeparated.default([]),
};

/** How tokens are verified, and as whom this service calls others. */
export const authSettings = {
  OAUTH_ISSUER: httpUrl,
  JWKS_URL: httpUrl,
  TOKEN_URL: httpUrl,
  SERVICE_CLIENT_ID: z.string().min(1),
  SERVICE_CLIENT_SECRET: z.string().min(16),
  OBJECTMODELSVC_URL: httpUrl,
};

export const mongoSettings = {
  MONGO_URL: z.string().regex(/^mongodb(\+srv)?:\/\//, 'must begin with mongodb:// or mongodb+srv://'),
  MONGO_DB: z.string().regex(/^[A-Za-z0-9_-]{1,63}$/, 'must be 1 to 63 letters, digits, _ or -'),
};

export const redisSettings = {
  REDIS_URL: z.string().regex(/^rediss?:\/\//, 'must begin with redis:// or rediss://'),
};

export const s3Settings = {
  S3_ENDPOINT: httpUrl,
  /** Where callers reach the object store, when that differs from `S3_ENDPOINT`. */
  S3_PUBLIC_ENDPOINT: httpUrl.optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_ACCESS_KEY: z.string().min(1),
  S3_SECRET_KEY: z.string().min(1),
  S3_BUCKET: z.string().min(3),
};

import type { Express } from 'express';
import { createHttpApp, createRateLimits, originCheck } from '@dtplatform/http';
import type { AuditLog, ErrorMapper, IsAllowedOrigin, Mount } from '@dtplatform/http';
import { createIdempotencyStore, documentErrors, mongoErrors } from '@dtplatform/mongo';
import { createCommandSender, redisErrors } from '@dtplatform/redis';
import type { ServiceAccess } from './access.js';
import { createAppOrigins, passportsvcUrl, remoteOrigins } from './app-origins.js';
import type { LoadOrigins } from './app-origins.js';
import type { Backends } from './backends.js';
import { documentTables } from './document-routes.js';
import type { ServiceConfig } from './service-config.js';

/** A service's HTTP interface, declared by its route tables. */
export interface ServiceApi {
  title: string;
  description: string;
  /** The first mount's prefix also serves the descriptions. */
  mounts: Mount[];
  /** Descriptions of operation groups, by the prefix before the dot in operation names. */
  tags?: Record<string, string>;
  /** The folder with the generated descriptions: `openapi.json`, and `asyncapi.json` for websockets. */
  documents?: URL;
}

/** The dependencies of every service. */
export interface ServiceDeps extends Backends, Pick<ServiceAccess, 'authenticate'> {
  config: ServiceConfig;
}

interface AppOptions {
  errorMappers?: ErrorMapper[];
  before?: Parameters<typeof createHttpApp>[0]['before'];
  /** Loads the origins that apps authorize. Defaults to passportsvc's. */
  loadOrigins?: LoadOrigins;
  /** Records calls that write. */
  audit?: AuditLog;
}

/** Assembles a service's application: routes, API description, and a 503 while a backend is unavailable. */
export function createServiceApp(api: ServiceApi, deps: ServiceDeps, options: AppOptions = {}): Express {
  const [first, ...others] = api.mounts;
  const documents = api.documents ? documentTables(api.documents) : [];
  return createHttpApp({
    mounts: [{ ...first!, tables: [...documents, ...first!.tables] }, ...others],
    checksDeclarations: deps.config.NODE_ENV !== 'production',
    authenticate: deps.authenticate,
    log: deps.log,
    baseUrl: deps.config.BASE_URL,
    registry: deps.registry,
    limitRate: rateLimits(first!.prefix, deps),
    idempotency: { store: createIdempotencyStore(deps.mongo), secret: deps.config.SERVICE_CLIENT_SECRET },
    corsOrigins: deps.config.CORS_ORIGINS,
    isAllowedOrigin: createAppOrigins(options.loadOrigins ?? originsFrom(deps), deps.log),
    errorMappers: [mongoErrors, documentErrors, redisErrors, ...(options.errorMappers ?? [])],
    before: options.before,
    audit: options.audit,
  });
}

/** Services count separately, by the name at the start of their prefix. */
const rateLimits = (prefix: string, { config, redis }: Pick<ServiceDeps, 'config' | 'redis'>) =>
  createRateLimits({
    perUser: config.RATE_LIMIT_PER_USER,
    perApp: config.RATE_LIMIT_PER_APP,
    service: prefix.split('/')[1]!,
    sendCommand: createCommandSender(redis.client),
  });

/** Whether a page of an origin may open websockets: the platform's own origin, or one that CORS allows. */
export function websocketOrigins(deps: ServiceDeps): IsAllowedOrigin {
  const { BASE_URL, CORS_ORIGINS } = deps.config;
  return originCheck([new URL(BASE_URL).origin, ...CORS_ORIGINS], createAppOrigins(originsFrom(deps), deps.log));
}

/** The client is created on first use: most services never get a cross-origin request. */
function originsFrom(deps: ServiceDeps): LoadOrigins {
  let client: ReturnType<ServiceDeps['serviceClient']> | undefined;
  return remoteOrigins(() => (client ??= deps.serviceClient(passportsvcUrl(deps.config.TOKEN_URL))));
}

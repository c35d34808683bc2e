import type { Express } from 'express';
import { createHttpApp } from '@dtplatform/http';
import type { ErrorMapper, Mount } from '@dtplatform/http';
import { createIdempotencyStore, mongoErrors } from '@dtplatform/mongo';
import { describeApi, openApiTable } from '@dtplatform/openapi';
import { redisErrors } from '@dtplatform/redis';
import type { ServiceAccess } from './access.js';
import type { Backends } from './backends.js';
import type { ServiceConfig } from './service-config.js';

/** A service's HTTP interface, as its route tables declare it. */
export interface ServiceApi {
  title: string;
  description: string;
  /** The first mount's prefix is where `openapi.json` is served. */
  mounts: Mount[];
}

/** What every service is made of. */
export interface ServiceDeps extends Backends, Pick<ServiceAccess, 'authenticate'> {
  config: ServiceConfig;
}

/** Assembles a service's application: its routes, its API description, and 503 while a backend is unavailable. */
export function createServiceApp(
  api: ServiceApi,
  deps: ServiceDeps,
  options: { errorMappers?: ErrorMapper[]; before?: Parameters<typeof createHttpApp>[0]['before'] } = {},
): Express {
  const [first, ...others] = api.mounts;
  const document = describeApi(api);
  return createHttpApp({
    mounts: [{ ...first!, tables: [openApiTable(document), ...first!.tables] }, ...others],
    authenticate: deps.authenticate,
    log: deps.log,
    registry: deps.registry,
    idempotency: createIdempotencyStore(deps.mongo),
    corsOrigins: deps.config.CORS_ORIGINS,
    errorMappers: [mongoErrors, redisErrors, ...(options.errorMappers ?? [])],
    before: options.before,
  });
}

import { Registry } from 'prom-client';
import type { ReadinessChecks } from '@dtplatform/http';
import { once } from '@dtplatform/lifecycle';
import type { Lifecycle } from '@dtplatform/lifecycle';
import { connectMongo, requireSchema } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { connectRedis } from '@dtplatform/redis';
import type { RedisConnection } from '@dtplatform/redis';
import { clientCredentials, createServiceClient, tokenExchange } from '@dtplatform/service-client';
import type { ServiceClient, TokenSource, TokenSubject } from '@dtplatform/service-client';
import type { ProcessContext, ServiceConfig, ServiceDefinition } from './service-config.js';

/** The backends of a service, and its clients of other services. */
export interface Backends extends ProcessContext, Database {
  redis: RedisConnection;
  /** A client of another service. Calls as the platform's trusted client unless a call has a token. */
  serviceClient(baseUrl: string, options?: { timeoutMs?: number }): ServiceClient;
  /** Tokens for calls on behalf of a subject whose own token is not at hand, such as the starter of a run. */
  actAs: (subject: TokenSubject) => TokenSource;
  checks: ReadinessChecks & Database['checks'];
  registry: Registry;
}

/**
 * Connects a service to its backends and registers their shutdown. Does not wait for them: `/readyz` reports when they
 * respond.
 */
export async function openBackends(
  service: ServiceDefinition,
  config: ServiceConfig,
  context: ProcessContext,
): Promise<Backends> {
  const { log, lifecycle, backends } = context;
  // Metrics of the same names are already in the registry.
  if (backends) return { ...backends, registry: new Registry() };
  const { mongo, checks } = await openDatabase(service, config, context);
  const redis = await connectRedis({ url: config.REDIS_URL, kind: 'cache', log });
  lifecycle.onStop('redis', () => redis.close());
  return {
    ...context,
    mongo,
    redis,
    serviceClient: serviceClients(config, lifecycle),
    actAs: tokenExchange(tokenClient(config)),
    checks: { ...checks, redis: () => redis.ping() },
    registry: new Registry(),
  };
}

const tokenClient = (config: ServiceConfig) => ({
  tokenUrl: config.TOKEN_URL,
  clientId: config.SERVICE_CLIENT_ID,
  clientSecret: config.SERVICE_CLIENT_SECRET,
});

function serviceClients(config: ServiceConfig, lifecycle: Lifecycle): Backends['serviceClient'] {
  const token = clientCredentials(tokenClient(config));
  return (baseUrl, options) => {
    const client = createServiceClient({ ...options, baseUrl, token });
    lifecycle.onStop(`client of ${baseUrl}`, () => client.close());
    return client;
  };
}

export interface Database {
  mongo: Mongo;
  /** The server responds; the database has the migrations that this version needs. */
  checks: ReadinessChecks & { migrations: () => Promise<void> };
}

/**
 * Connects to a service's database until the lifecycle stops. Does not wait for it: the checks report when it responds.
 */
export async function openDatabase(
  { name, schema }: ServiceDefinition,
  config: { MONGO_URL: string; MONGO_DB: string },
  { log, lifecycle, backends }: ProcessContext,
): Promise<Database> {
  if (backends) return backends;
  const mongo = await connectMongo({ url: config.MONGO_URL, database: config.MONGO_DB, appName: name, log });
  lifecycle.onStop('mongodb', () => mongo.close());
  return {
    mongo,
    checks: { mongodb: () => mongo.ping(), migrations: once(() => requireSchema(mongo, schema)) },
  };
}

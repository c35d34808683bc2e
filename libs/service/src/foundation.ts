import type { JWTVerifyGetKey } from 'jose';
import { Registry } from 'prom-client';
import { bearerAuthentication } from '@dtplatform/http';
import type { Authenticate, ReadinessChecks } from '@dtplatform/http';
import { createVerifier, remoteKeys } from '@dtplatform/jwt';
import type { RemoteKeys } from '@dtplatform/jwt';
import type { Lifecycle } from '@dtplatform/lifecycle';
import type { Mongo } from '@dtplatform/mongo';
import { createGrantCache, createPermissions, remoteGrants } from '@dtplatform/permissions';
import type { GrantCache, GrantSource } from '@dtplatform/permissions';
import { connectRedis } from '@dtplatform/redis';
import type { RedisConnection } from '@dtplatform/redis';
import { clientCredentials, createServiceClient } from '@dtplatform/service-client';
import type { ServiceClient } from '@dtplatform/service-client';
import { openDatabase } from './database.js';
import type { Database } from './database.js';
import { once } from './once.js';
import type { ProcessContext } from './process-context.js';
import type { ServiceConfig } from './service-config.js';
import type { ServiceDefinition } from './service-definition.js';

/** Parts of the platform that a service reaches over the network; tests give their own. */
export interface Ports {
  /** Where grants are kept; objectmodelsvc by default. */
  grants?: (mongo: Mongo, redis: RedisConnection) => GrantSource;
  /** The public keys of access tokens; those at `JWKS_URL` by default. */
  keys?: JWTVerifyGetKey;
}

/** What every service stands on. */
export interface Foundation extends ProcessContext {
  mongo: Mongo;
  redis: RedisConnection;
  grants: GrantSource;
  grantCache: GrantCache;
  authenticate: Authenticate;
  /** A client of another service, which calls as the platform's own trusted client unless a call brings a token. */
  serviceClient(baseUrl: string): ServiceClient;
  checks: ReadinessChecks & Database['checks'];
  registry: Registry;
}

/** Connects a service to its backends and registers their end. Does not wait for them: `/readyz` tells when they are there. */
export async function createFoundation(
  service: ServiceDefinition,
  config: ServiceConfig,
  context: ProcessContext,
  ports: Ports = {},
): Promise<Foundation> {
  const { log, lifecycle } = context;
  const { mongo, checks } = await openDatabase(service, config, context);
  const redis = await connectRedis({ url: config.REDIS_URL, kind: 'cache', log });
  lifecycle.onStop('redis', () => redis.close());

  const serviceClient = serviceClients(config, lifecycle);
  const grants = ports.grants?.(mongo, redis) ?? remoteGrants(serviceClient(config.OBJECTMODELSVC_URL));
  const remote = ports.keys ? undefined : remoteKeys(new URL(config.JWKS_URL));
  const verify = createVerifier({ issuer: config.OAUTH_ISSUER, keys: (ports.keys ?? remote)! });
  const grantCache = createGrantCache({ redis: redis.client, source: grants });
  return {
    ...context,
    mongo,
    redis,
    grants,
    grantCache,
    authenticate: bearerAuthentication(verify, createPermissions({ cache: grantCache, source: grants })),
    serviceClient,
    checks: {
      ...checks,
      redis: () => redis.ping(),
      ...(remote && checksOfOthers(config, remote, ports.grants ? undefined : grants)),
    },
    registry: new Registry(),
  };
}

function serviceClients(config: ServiceConfig, lifecycle: Lifecycle): (baseUrl: string) => ServiceClient {
  const token = clientCredentials({
    tokenUrl: config.TOKEN_URL,
    clientId: config.SERVICE_CLIENT_ID,
    clientSecret: config.SERVICE_CLIENT_SECRET,
  });
  return (baseUrl) => {
    const client = createServiceClient({ baseUrl, token });
    lifecycle.onStop(`client of ${baseUrl}`, () => client.close());
    return client;
  };
}

/**
 * Without these parts of the platform no request can be answered, so a process is ready only when it has reached each of them
 * once. From then on it copes with their absence. passportsvc, which has its own keys, waits for neither: it comes first.
 */
const checksOfOthers = (config: ServiceConfig, keys: RemoteKeys, grants: GrantSource | undefined): ReadinessChecks => ({
  token_keys: () => keys.ready(),
  ...(grants && { grants: once(() => grants.namespacesOf({ _type: 'app', _id: config.SERVICE_CLIENT_ID })) }),
});

import type { JWTVerifyGetKey } from 'jose';
import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';
import { bearerAuthentication } from '@dtplatform/http';
import type { Authenticate, ReadinessChecks } from '@dtplatform/http';
import { createVerifier, remoteKeys } from '@dtplatform/jwt';
import { once } from '@dtplatform/lifecycle';
import { createGrantCache, createPermissions, remoteGrants } from '@dtplatform/permissions';
import type { Access, GrantCache, GrantCacheOptions, GrantSource } from '@dtplatform/permissions';
import type { Backends } from './backends.js';
import { audienceOf } from './service-config.js';
import type { ServiceConfig } from './service-config.js';

/** Where a service finds out who calls and what callers may do. */
export interface AccessSources {
  /** Where grants are stored; objectmodelsvc by default. */
  grants?: GrantSource;
  /** The public keys of access tokens; those at `JWKS_URL` by default. */
  keys?: JWTVerifyGetKey;
}

/** Authenticates callers and knows their permissions. */
export interface ServiceAccess {
  authenticate: Authenticate;
  /** What the caller of an access token may do. @throws 401 unless the token is valid, 503 when that cannot be found out */
  openToken: (token: string) => Promise<Access>;
  grants: GrantSource;
  grantCache: GrantCache;
  /**
   * Without these other services no request can be answered, so a process becomes ready only after it has reached each of
   * them once. From then on it tolerates their absence.
   */
  checks: ReadinessChecks;
}

/** Sets up authentication and permissions of a service. */
export function createAccess(
  { redis, serviceClient, registry }: Pick<Backends, 'redis' | 'serviceClient' | 'registry'>,
  config: ServiceConfig,
  sources: AccessSources = {},
): ServiceAccess {
  const grants = sources.grants ?? remoteGrants(serviceClient(config.OBJECTMODELSVC_URL));
  const remote = sources.keys ? undefined : remoteKeys(new URL(config.JWKS_URL));
  const expected = { issuer: config.OAUTH_ISSUER, audience: audienceOf(config) };
  const verify = createVerifier({
    ...expected,
    keys: (sources.keys ?? remote)!,
    onLookup: countLookups(registry, 'tokens'),
  });
  const lookups = { grants: countLookups(registry, 'grants'), namespaces: countLookups(registry, 'namespaces') };
  const onLookup: GrantCacheOptions['onLookup'] = (cache, isHit) => lookups[cache](isHit);
  const grantCache = createGrantCache({ redis: redis.client, source: grants, onLookup });
  const ownGrants = () => grants.namespacesOf({ _type: 'app', _id: config.SERVICE_CLIENT_ID });
  const openAccess = createPermissions({ cache: grantCache, source: grants });
  return {
    authenticate: bearerAuthentication(verify, openAccess),
    openToken: async (token) => openAccess(await verify(token)),
    grants,
    grantCache,
    checks: {
      ...(remote && { token_keys: () => remote.ready() }),
      ...(remote && !sources.grants && { grants: once(ownGrants) }),
    },
  };
}

const NAME = 'cache_lookups_total';

/** Counts the lookups in one cache of a process. @returns what to call for each of them */
export function countLookups(registry: Registry, cache: string): (isHit: boolean) => void {
  const counter = (registry.getSingleMetric(NAME) as Counter | undefined) ?? createCounter(registry);
  const [hits, misses] = ['hit', 'miss'].map((outcome) => counter.labels({ cache, outcome }));
  for (const count of [hits!, misses!]) count.inc(0);
  return (isHit) => (isHit ? hits : misses)!.inc();
}

const createCounter = (registry: Registry) =>
  new Counter({
    name: NAME,
    help: 'Lookups in a cache of this process, by whether it had the entry.',
    labelNames: ['cache', 'outcome'],
    registers: [registry],
  });

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

export interface AccessSources {
  /** Defaults to objectmodelsvc. */
  grants?: GrantSource;
  /** Public keys of access tokens. Defaults to those at `JWKS_URL`. */
  keys?: JWTVerifyGetKey;
}

/** Authenticates callers and looks up their permissions. */
export interface ServiceAccess {
  authenticate: Authenticate;
  /** The access of a token's subject. @throws 401 for an invalid token, 503 while it cannot be determined */
  openToken: (token: string) => Promise<Access>;
  grants: GrantSource;
  grantCache: GrantCache;
  /**
   * A process becomes ready only after it has reached each of these services once, because it can serve no request
   * without them. It then tolerates their absence.
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
  const grantCache = createGrantCache({ redis, source: grants, onLookup });
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

/** Counts the lookups of one cache of a process. @returns call it for each lookup */
export function countLookups(registry: Registry, cache: string): (isHit: boolean) => void {
  const counter = (registry.getSingleMetric(NAME) as Counter | undefined) ?? createCounter(registry);
  const [hits, misses] = ['hit', 'miss'].map((outcome) => counter.labels({ cache, outcome }));
  for (const count of [hits!, misses!]) count.inc(0);
  return (isHit) => (isHit ? hits : misses)!.inc();
}

const createCounter = (registry: Registry) =>
  new Counter({
    name: NAME,
    help: 'Cache lookups in this process, by hit or miss.',
    labelNames: ['cache', 'outcome'],
    registers: [registry],
  });

import { createAccess, openBackends } from '@dtplatform/service';
import type { AccessSources, ProcessContext, ServiceDeps } from '@dtplatform/service';
import type { Config } from './config.js';
import { createPermissions } from './domain/permissions/permissions.js';
import type { Permissions } from './domain/permissions/permissions.js';
import type { Subjects } from './domain/permissions/ports.js';
import { createPermissionStore } from './store/permissions/permission-store.js';
import { remoteSubjects } from './store/permissions/remote-subjects.js';
import { schema } from './store/schema.js';

export interface Deps extends ServiceDeps {
  config: Config;
  permissions: Permissions;
}

/** What lies outside this service. Tests pass their own. */
export interface Ports extends Pick<AccessSources, 'keys'> {
  subjects?: Subjects;
}

/** Constructs everything. Unlike other services, this one reads grants from its own database. */
export async function createDeps(config: Config, context: ProcessContext, ports: Ports = {}): Promise<Deps> {
  const backends = await openBackends({ name: 'objectmodelsvc', schema }, config, context);
  const permissionStore = createPermissionStore(backends.mongo, backends.redis.client);
  const subjects = ports.subjects ?? remoteSubjects(backends.serviceClient(config.PASSPORTSVC_URL), permissionStore);
  const sources = { grants: permissionStore, keys: ports.keys };
  const { authenticate, checks, grantCache } = createAccess(backends, config, sources);
  const permissions = createPermissions({ permissionStore, subjects, grantCache });
  return { ...backends, checks: { ...backends.checks, ...checks }, authenticate, config, permissions };
}

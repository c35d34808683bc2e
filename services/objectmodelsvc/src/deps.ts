import { createFoundation } from '@dtplatform/service';
import type { Foundation, Ports as PlatformPorts, ProcessContext } from '@dtplatform/service';
import type { Config } from './config.js';
import { createPermissions } from './domain/permissions/permissions.js';
import type { Permissions } from './domain/permissions/permissions.js';
import type { Subjects } from './domain/permissions/ports.js';
import { createPermissionStore } from './store/permissions/permission-store.js';
import { remoteSubjects } from './store/permissions/remote-subjects.js';
import { schema } from './store/schema.js';

export interface Deps extends Foundation {
  config: Config;
  permissions: Permissions;
}

/** What lies outside this service. Tests pass their own. */
export interface Ports extends Omit<PlatformPorts, 'grants'> {
  subjects?: Subjects;
}

/** Constructs everything. Unlike other services, this one reads grants from its own database. */
export async function createDeps(config: Config, context: ProcessContext, ports: Ports = {}): Promise<Deps> {
  const foundation = await createFoundation({ name: 'objectmodelsvc', schema }, config, context, {
    ...ports,
    grants: (mongo, redis) => createPermissionStore(mongo, redis.client),
  });
  const { mongo, redis, grantCache } = foundation;
  const permissionStore = createPermissionStore(mongo, redis.client);
  const subjects = ports.subjects ?? remoteSubjects(foundation.serviceClient(config.PASSPORTSVC_URL));
  return { ...foundation, config, permissions: createPermissions({ permissionStore, subjects, grantCache }) };
}

import { createFoundation } from '@dtplatform/service';
import type { Foundation, Ports as PlatformPorts, ProcessContext } from '@dtplatform/service';
import type { Config } from './config.js';
import { createPermissionAdmin } from './domain/permission-admin.js';
import type { PermissionAdmin } from './domain/permission-admin.js';
import { createPermissionChecks } from './domain/permission-checks.js';
import type { PermissionChecks } from './domain/permission-checks.js';
import type { Subjects } from './domain/ports.js';
import { createPermissionStore } from './store/permission-store.js';
import { remoteSubjects } from './store/remote-subjects.js';
import { schema } from './store/schema.js';

export interface Deps extends Foundation {
  config: Config;
  permissionAdmin: PermissionAdmin;
  permissionChecks: PermissionChecks;
}

/** What lies outside this service; tests give their own. */
export interface Ports extends Omit<PlatformPorts, 'grants'> {
  subjects?: Subjects;
}

/** Constructs everything. Unlike in other services, the grants are this service's own. */
export async function createDeps(config: Config, context: ProcessContext, ports: Ports = {}): Promise<Deps> {
  const foundation = await createFoundation({ name: 'objectmodelsvc', schema }, config, context, {
    ...ports,
    grants: (mongo, redis) => createPermissionStore(mongo, redis.client),
  });
  const store = createPermissionStore(foundation.mongo, foundation.redis.client);
  const subjects = ports.subjects ?? remoteSubjects(foundation.serviceClient(config.PASSPORTSVC_URL));
  return {
    ...foundation,
    config,
    permissionAdmin: createPermissionAdmin({ store, subjects }),
    permissionChecks: createPermissionChecks({ cache: foundation.grantCache }),
  };
}

import { countLookups, createAccess, createServiceApp, defineService, openBackends } from '@dtplatform/runtime';
import type { AccessSources, ProcessContext } from '@dtplatform/runtime';
import type { Config } from './config.js';
import { createAudit } from './permissions/audit.js';
import { createPermissionAudit } from './permissions/audit.store.js';
import { createPermissions } from './permissions/permissions.js';
import { permissions } from './permissions/permissions.module.js';
import { createPermissionStore } from './permissions/permissions.store.js';
import { createQuestions } from './permissions/questions.js';
import { remoteSubjects } from './permissions/subjects.client.js';
import type { Subjects } from './permissions/subjects.client.js';

export const service = defineService({
  name: 'objectmodelsvc',
  title: 'Permissions',
  description: 'Grants and checks permissions: who may do what on which resources.',
  documents: new URL('../', import.meta.url),
  resources: [permissions],
});

/** External dependencies; tests pass their own. */
export interface Ports extends Pick<AccessSources, 'keys'> {
  subjects?: Subjects;
}

/** The dependencies of the API. */
export type Deps = Awaited<ReturnType<typeof createDeps>>;

/** Unlike other services, this one reads grants from its own database. */
export async function createDeps(config: Config, context: ProcessContext, ports: Ports = {}) {
  const backends = await openBackends(service, config, context);
  const auditStore = createPermissionAudit(backends.mongo, config.AUDIT_RETENTION_DAYS);
  const permissionStore = createPermissionStore(backends.mongo, backends.redis, auditStore);
  const subjects =
    ports.subjects ??
    remoteSubjects(
      backends.serviceClient(config.PASSPORTSVC_URL),
      permissionStore,
      countLookups(backends.registry, 'known_users'),
    );
  const granted = createPermissions({ permissionStore, subjects });
  const sources = { grants: granted, keys: ports.keys };
  const { authenticate, checks, grantCache } = createAccess(backends, config, sources);
  return {
    ...backends,
    checks: { ...backends.checks, ...checks },
    authenticate,
    config,
    permissions: granted,
    questions: createQuestions({ permissionStore, grantCache }),
    audit: createAudit(auditStore),
  };
}

export const createApp = (deps: Deps) => createServiceApp(service.createApi(deps), deps);

import { countLookups, createAccess, openBackends } from '@dtplatform/service';
import type { AccessSources, ProcessContext, ServiceDeps } from '@dtplatform/service';
import type { Config } from './config.js';
import { createAudit } from './domain/permissions/audit.js';
import type { Audit } from './domain/permissions/audit.js';
import { createPermissions } from './domain/permissions/permissions.js';
import type { Permissions } from './domain/permissions/permissions.js';
import type { Subjects } from './domain/permissions/ports.js';
import { createQuestions } from './domain/permissions/questions.js';
import type { Questions } from './domain/permissions/questions.js';
import { createPermissionAudit } from './store/permissions/permission-audit.js';
import { createPermissionStore } from './store/permissions/permission-store.js';
import { remoteSubjects } from './store/permissions/remote-subjects.js';
import { schema } from './store/schema.js';

export interface Deps extends ServiceDeps {
  config: Config;
  permissions: Permissions;
  questions: Questions;
  audit: Audit;
}

/** What lies outside this service. Tests pass their own. */
export interface Ports extends Pick<AccessSources, 'keys'> {
  subjects?: Subjects;
}

/** Constructs everything. Unlike other services, this one reads grants from its own database. */
export async function createDeps(config: Config, context: ProcessContext, ports: Ports = {}): Promise<Deps> {
  const backends = await openBackends({ name: 'objectmodelsvc', schema }, config, context);
  const auditStore = createPermissionAudit(backends.mongo, config.AUDIT_RETENTION_DAYS);
  const permissionStore = createPermissionStore(backends.mongo, backends.redis.client, auditStore);
  const subjects =
    ports.subjects ??
    remoteSubjects(
      backends.serviceClient(config.PASSPORTSVC_URL),
      permissionStore,
      countLookups(backends.registry, 'known_users'),
    );
  const permissions = createPermissions({ permissionStore, subjects });
  const sources = { grants: permissions, keys: ports.keys };
  const { authenticate, checks, grantCache } = createAccess(backends, config, sources);
  return {
    ...backends,
    checks: { ...backends.checks, ...checks },
    authenticate,
    config,
    permissions,
    questions: createQuestions({ permissionStore, grantCache }),
    audit: createAudit(auditStore),
  };
}

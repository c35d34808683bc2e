import { defineSchema, missingRevisions } from '@dtplatform/mongo';
import { closedNamespaceModel } from './permissions/closed-namespace.model.js';
import { groupModel } from './permissions/group.model.js';
import { namespaceOwnersModel } from './permissions/namespace-owners.model.js';
import { permissionAuditModel } from './permissions/permission-audit.model.js';
import { allowCriteria, permissionModel } from './permissions/permission.model.js';

/** What this version needs of its database. Migrations are appended and never changed (docs/adr/0013). */
export const schema = defineSchema({
  models: [permissionModel, permissionAuditModel, namespaceOwnersModel, groupModel, closedNamespaceModel],
  migrations: [missingRevisions('0001-revisions', [permissionModel]), { id: '0002-criteria', up: allowCriteria }],
});

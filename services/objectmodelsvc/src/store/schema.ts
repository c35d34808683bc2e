import { defineSchema } from '@dtplatform/mongo';
import { closedNamespaceModel } from './permissions/closed-namespace.model.js';
import { groupModel } from './permissions/group.model.js';
import { namespaceOwnersModel } from './permissions/namespace-owners.model.js';
import { permissionAuditModel } from './permissions/permission-audit.model.js';
import { permissionModel } from './permissions/permission.model.js';

/** The models and migrations of this version. Append migrations, and never change one (docs/adr/0013). */
export const schema = defineSchema({
  models: [permissionModel, permissionAuditModel, namespaceOwnersModel, groupModel, closedNamespaceModel],
  migrations: [],
});

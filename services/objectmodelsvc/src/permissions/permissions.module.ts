import { resource } from '@dtplatform/runtime';
import { permissionAuditModel } from './audit.store.js';
import { closedNamespaceModel } from './closed-namespaces.store.js';
import { groupModel } from './groups.store.js';
import { namespaceOwnersModel, permissionModel } from './permission.model.js';
import { permissionRoutes } from './permissions.routes.js';

export const permissions = resource({
  tags: { permissions: 'Who may do what on which resources.' },
  models: [permissionModel, permissionAuditModel, namespaceOwnersModel, groupModel, closedNamespaceModel],
  routes: (parts: Parameters<typeof permissionRoutes>[0]) => [permissionRoutes(parts)],
});

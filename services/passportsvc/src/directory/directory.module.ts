import { grantMarkModel } from '@dtplatform/mongo';
import { resource } from '@dtplatform/runtime';
import type { Health } from '@dtplatform/runtime';
import { appConfigRoutes } from './apps/app-configs.routes.js';
import type { Administrators } from './administrators/administrators.js';
import { administratorRoutes } from './administrators/administrators.routes.js';
import type { Apps } from './apps/apps.js';
import { appRoutes } from './apps/apps.routes.js';
import { appModel } from './apps/apps.store.js';
import type { AsyncTasks } from './asynctasks/asynctasks.js';
import { asyncTaskRoutes } from './asynctasks/asynctasks.routes.js';
import type { Audit } from './audit/audit.js';
import { auditRoutes } from './audit/audit.routes.js';
import { auditModel } from './audit/audit.store.js';
import { bootstrapMarkModel } from './bootstrap/bootstrap.store.js';
import { deletionModel } from './deletions/deletions.store.js';
import { healthRoutes } from './health/health.routes.js';
import type { Organizations } from './organizations/organizations.js';
import { organizationRoutes } from './organizations/organizations.routes.js';
import { organizationModel } from './organizations/organizations.store.js';
import type { PermissionActions } from './permission_actions/permission-actions.js';
import { permissionActionRoutes } from './permission_actions/permission-actions.routes.js';
import { permissionActionModel } from './permission_actions/permission-actions.store.js';
import type { PermissionProfiles } from './permissionprofiles/permission-profiles.js';
import { permissionProfileModel } from './permissionprofiles/permission-profiles.store.js';
import { permissionProfileRoutes } from './permissionprofiles/permissionprofiles.routes.js';
import type { Queues } from './queues/queues.store.js';
import { queueRoutes } from './queues/queues.routes.js';
import type { Workspaces } from './workspaces/workspaces.js';
import { workspaceRoutes } from './workspaces/workspaces.routes.js';
import { workspaceModel } from './workspaces/workspaces.store.js';

interface Api {
  administrators: Administrators;
  apps: Apps;
  organizations: Organizations;
  workspaces: Workspaces;
  permissionActions: PermissionActions;
  permissionProfiles: PermissionProfiles;
  asyncTasks: AsyncTasks;
  audit: Audit;
  queues: Queues;
  health: Health;
}

export const directory = resource({
  tags: {
    apps: 'Apps: the clients of OAuth.',
    appConfigs: 'The configurations of apps, which limit what is created through them.',
    administrators: 'The users who administer the platform.',
    organizations: 'Organizations of users and apps.',
    workspaces: 'Workspaces, each with its own namespaces.',
    permissionActions: 'The actions on each type of resource.',
    permissionprofiles: 'Subjects whose permissions runs of orchestrators can use.',
    audit: 'The audit log: who changed what, and who signed in.',
    queues: 'The queues of all services, and their failing messages.',
    health: 'The health of all services.',
    asyncTasks: 'Accepted work of all services that continues after the response.',
  },
  models: [
    appModel,
    organizationModel,
    workspaceModel,
    permissionActionModel,
    permissionProfileModel,
    deletionModel,
    bootstrapMarkModel,
    grantMarkModel,
    auditModel,
  ],
  routes: (parts: Api) => [
    appConfigRoutes(parts),
    appRoutes(parts),
    administratorRoutes(parts),
    organizationRoutes(parts),
    workspaceRoutes(parts),
    permissionActionRoutes(parts),
    permissionProfileRoutes(parts),
    auditRoutes(parts),
    queueRoutes(parts),
    healthRoutes(parts),
    asyncTaskRoutes(parts),
  ],
});

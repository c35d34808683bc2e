import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Express } from 'express';
import { createServiceApp, permissionRoutes, sharedTags, usageRoutes } from '@dtplatform/service';
import type { ServiceApi } from '@dtplatform/service';
import { appConfigRoutes } from './api/apps/app-configs.routes.js';
import { accountPageRoutes } from './api/account/account.routes.js';
import { appRoutes } from './api/apps/apps.routes.js';
import { asyncTaskRoutes } from './api/asynctasks/asynctasks.routes.js';
import { consentRoutes } from './api/consents/consents.routes.js';
import { groupInviteRoutes, inviteRoutes } from './api/invites/invites.routes.js';
import { logoutRoutes } from './api/logout/logout.routes.js';
import { notificationTemplateRoutes } from './api/notification-templates/notification-templates.routes.js';
import { consentPageRoutes } from './api/oauth/consent/consent.routes.js';
import { oauthRoutes, oauthRoutesV2, wellKnownRoutes } from './api/oauth/oauth.routes.js';
import { deliveryRoutes } from './api/scim-delivery/deliveries.routes.js';
import { REGISTRATION_PATH } from './api/scim-delivery/scim-delivery.schemas.js';
import { scimListenerRoutes } from './api/scim-delivery/scim-listeners.routes.js';
import { scimServerRoutes } from './api/scim-delivery/scim-servers.routes.js';
import { organizationRoutes } from './api/organizations/organizations.routes.js';
import { permissionActionRoutes } from './api/permission-actions/permission-actions.routes.js';
import { permissionProfileRoutes } from './api/permissionprofiles/permission-profiles.routes.js';
import { passwordResetRoutes } from './api/password-reset/password-reset.routes.js';
import { scimDiscoveryRoutes } from './api/scim/discovery.routes.js';
import { scimUserRoutes } from './api/scim/users.routes.js';
import { signInRoutes } from './api/oauth/sign-in/sign-in.routes.js';
import { memberRoutes } from './api/usergroups/members.routes.js';
import { usergroupRoutes } from './api/usergroups/usergroups.routes.js';
import { accountRoutes, userRoutes } from './api/users/users.routes.js';
import { workspaceRoutes } from './api/workspaces/workspaces.routes.js';
import type { Deps } from './deps.js';

/** Where the documentation site is once it is built; without it there is no `/docs`. */
const site = new URL('dist/', pathToFileURL(createRequire(import.meta.url).resolve('@dtplatform/site/package.json')));

const tags = {
  ...sharedTags,
  signin: 'The page on which users sign in to an app.',
  consent: 'The page on which users allow an app of another organization to act for them.',
  oauth: 'The OAuth 2.0 server: authorization, tokens, keys and metadata.',
  signout: 'The page on which users sign out in a browser.',
  account: 'The page on which users see and end their sessions and consents, and change their password.',
  passwordReset: 'The pages on which users set a new password with a link from a mail.',
  apps: 'Apps: the clients of OAuth.',
  appConfigs: 'The configurations of apps, which limit how much is created through them.',
  organizations: 'Organizations, to one of which each user and app belongs.',
  consents: 'What users have allowed to apps of other organizations.',
  workspaces: 'Workspaces, each with namespaces of its own.',
  usergroups: 'Groups of users, who have the permissions of the group.',
  invites: 'Invites by mail to user groups.',
  users: 'Users: as other users see them, and in SCIM 2.0 for those who manage them.',
  accounts: 'The calling user, under another path.',
  notificationTemplates: 'The texts of the mails that an app sends to invited people.',
  permissionActions: 'The actions that the types of resources know.',
  permissionprofiles: 'Subjects of permissions whose rights the runs of orchestrators can have.',
  asyncTasks: 'Accepted work of all services that continues after its call.',
  scim: 'What the SCIM 2.0 endpoints support.',
  scimServers: 'SCIM servers to which events of users are delivered.',
  scimListeners: 'The events of users that are delivered to each SCIM server.',
  scimDeliveries: 'The log of deliveries to SCIM servers.',
};

export const createApi = (deps: Deps): ServiceApi => ({
  title: 'Identity and access',
  description: 'OAuth 2.0, applications, workspaces and users.',
  tags,
  documents: new URL('../', import.meta.url),
  reference: new URL('../reference/', import.meta.url),
  site: existsSync(site) ? site : undefined,
  mounts: [
    {
      prefix: '/passportsvc/api/v1',
      tables: [
        signInRoutes(deps),
        consentPageRoutes(deps),
        oauthRoutes(deps),
        logoutRoutes(deps),
        accountPageRoutes(deps),
        passwordResetRoutes(deps),
        appConfigRoutes(deps),
        appRoutes(deps),
        organizationRoutes(deps),
        consentRoutes(deps),
        workspaceRoutes(deps),
        usergroupRoutes(deps),
        memberRoutes(deps),
        groupInviteRoutes(deps),
        inviteRoutes(deps),
        userRoutes(deps),
        accountRoutes(deps),
        scimUserRoutes(deps),
        notificationTemplateRoutes(deps),
        permissionActionRoutes(deps),
        permissionProfileRoutes(deps),
        permissionRoutes('passportsvc', deps),
        usageRoutes(deps),
        asyncTaskRoutes(deps),
        scimDiscoveryRoutes(deps),
      ],
    },
    { prefix: '/passportsvc/api/v2', tables: [oauthRoutesV2(deps)] },
    {
      prefix: REGISTRATION_PATH,
      tables: [scimServerRoutes(deps), scimListenerRoutes(deps), deliveryRoutes(deps)],
    },
    { prefix: '/.well-known', tables: [wellKnownRoutes(deps)] },
  ],
});

export function createApp(deps: Deps): Express {
  const app = createServiceApp(createApi(deps), deps, { loadOrigins: deps.apps.authorizedOrigins });
  // Whose `X-Forwarded-For` says where a request comes from.
  app.set('trust proxy', deps.config.TRUSTED_PROXIES);
  return app;
}

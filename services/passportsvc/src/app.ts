import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Express } from 'express';
import { createServiceApp, permissionRoutes, sharedTags, usageRoutes } from '@dtplatform/service';
import type { ServiceApi } from '@dtplatform/service';
import type { Deps } from './deps.js';
import { appConfigRoutes } from './directory/apps/app-configs.routes.js';
import { appRoutes } from './directory/apps/apps.routes.js';
import { asyncTaskRoutes } from './directory/asynctasks/asynctasks.routes.js';
import { organizationRoutes } from './directory/organizations/organizations.routes.js';
import { permissionActionRoutes } from './directory/permission_actions/permission-actions.routes.js';
import { permissionProfileRoutes } from './directory/permissionprofiles/permission-profiles.routes.js';
import { workspaceRoutes } from './directory/workspaces/workspaces.routes.js';
import { groupInviteRoutes, inviteRoutes } from './groups/invites/invites.routes.js';
import { notificationTemplateRoutes } from './groups/notification_templates/notification-templates.routes.js';
import { memberRoutes, usergroupRoutes } from './groups/usergroups/usergroups.routes.js';
import { accountPageRoutes } from './oauth/account/account.routes.js';
import { consentPageRoutes } from './oauth/consents/consent-page.routes.js';
import { consentRoutes } from './oauth/consents/consents.routes.js';
import { logoutRoutes } from './oauth/logout/logout.routes.js';
import { oauthRoutes, oauthRoutesV2, wellKnownRoutes } from './oauth/oauth.routes.js';
import { passwordResetRoutes } from './oauth/password-reset/password-reset.routes.js';
import { signInRoutes } from './oauth/signin/signin.routes.js';
import { deliveryRoutes } from './scim/deliveries/deliveries.routes.js';
import { scimDiscoveryRoutes } from './scim/discovery/discovery.routes.js';
import { scimListenerRoutes } from './scim/listeners/listeners.routes.js';
import { REGISTRATION_PATH } from './scim/servers/registration.http.js';
import { scimServerRoutes } from './scim/servers/servers.routes.js';
import { accountRoutes, userRoutes } from './scim/users/accounts.routes.js';
import { scimUserRoutes } from './scim/users/users.routes.js';

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

import type { Mongo } from '@dtplatform/mongo';
import { createOutbox } from '@dtplatform/queue';
import { createAppStore } from './directory/apps/apps.store.js';
import { createDeletionStore } from './directory/deletions/deletions.store.js';
import { createOrganizationStore } from './directory/organizations/organizations.store.js';
import { createPermissionActionStore } from './directory/permission_actions/permission-actions.store.js';
import { createPermissionProfileStore } from './directory/permissionprofiles/permission-profiles.store.js';
import { createWorkspaceStore } from './directory/workspaces/workspaces.store.js';
import { createInviteStore } from './groups/invites/invites.store.js';
import { createMailQueue, createMailStore } from './groups/mails/mails.store.js';
import { mailJobs } from './groups/mails/send-mail.job.js';
import { createNotificationTemplateStore } from './groups/notification_templates/notification-templates.store.js';
import { createMemberStore } from './groups/usergroups/members.store.js';
import { createUserGroupStore } from './groups/usergroups/usergroups.store.js';
import { createAccountStore } from './oauth/account/account.store.js';
import { createBrowserStateStore, interactionModel, sessionModel } from './oauth/authorize/browser-states.store.js';
import { createConsentStore } from './oauth/consents/consents.store.js';
import { createPasswordResetStore } from './oauth/password-reset/password-resets.store.js';
import { createAuthorizationStore } from './oauth/token/authorizations.store.js';
import type { Versions } from './oauth/token/versions.store.js';
import { createDeliveryStore } from './scim/deliveries/deliveries.store.js';
import { createScimListenerStore } from './scim/listeners/scim-listeners.store.js';
import { createScimServerStore } from './scim/servers/scim-servers.store.js';
import { createAccessEndingStore } from './scim/users/access-endings.store.js';
import { createUserStore } from './scim/users/users.store.js';

export type Stores = ReturnType<typeof createStores>;

export function createStores(mongo: Mongo, versions: Pick<Versions, 'change'>) {
  const outbox = createOutbox(mongo);
  const mailQueue = createMailQueue({ mongo, outbox, sendMessage: mailJobs.messages['mail.send'] });
  const accountStore = createAccountStore(mongo);
  return {
    accessEndingStore: createAccessEndingStore(mongo),
    accountStore,
    appStore: createAppStore(mongo, versions),
    authorizationStore: createAuthorizationStore(mongo),
    consentStore: createConsentStore(mongo),
    deletionStore: createDeletionStore(mongo),
    deliveryStore: createDeliveryStore(mongo),
    groupStore: createUserGroupStore(mongo),
    interactionStore: createBrowserStateStore(mongo.model(interactionModel)),
    inviteStore: createInviteStore(mongo, mailQueue),
    mailQueue,
    mailStore: createMailStore(mongo),
    memberStore: createMemberStore(mongo),
    organizationStore: createOrganizationStore(mongo),
    permissionActionStore: createPermissionActionStore(mongo),
    profileStore: createPermissionProfileStore(mongo),
    resetStore: createPasswordResetStore({ mongo, mailQueue, accountStore }),
    scimListenerStore: createScimListenerStore(mongo),
    scimServerStore: createScimServerStore(mongo),
    sessionStore: createBrowserStateStore(mongo.model(sessionModel)),
    templateStore: createNotificationTemplateStore(mongo),
    userStore: createUserStore(mongo, versions),
    workspaceStore: createWorkspaceStore(mongo),
  };
}

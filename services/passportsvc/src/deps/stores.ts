import type { Mongo } from '@dtplatform/mongo';
import { createOutbox } from '@dtplatform/queue';
import type { Versions } from '../domain/oauth/ports.js';
import { mailJobs } from '../jobs/catalogue.js';
import { createAccountStore } from '../store/account/account-store.js';
import { createAppStore } from '../store/apps/app-store.js';
import { createConsentStore } from '../store/consents/consent-store.js';
import { createDeletionStore } from '../store/deletions/deletion-store.js';
import { createInviteStore } from '../store/invites/invite-store.js';
import { createMailQueue } from '../store/mail/mail-queue.js';
import { createNotificationTemplateStore } from '../store/notification-templates/notification-template-store.js';
import { createAuthorizationStore } from '../store/oauth/authorization-store.js';
import { interactionModel, sessionModel } from '../store/oauth/browser-state.model.js';
import { createBrowserStateStore } from '../store/oauth/browser-state-store.js';
import { createOrganizationStore } from '../store/organizations/organization-store.js';
import { createPasswordResetStore } from '../store/password-reset/password-reset-store.js';
import { createPermissionActionStore } from '../store/permission-actions/permission-action-store.js';
import { createPermissionProfileStore } from '../store/permissionprofiles/permission-profile-store.js';
import { createDeliveryStore } from '../store/scim-delivery/delivery-store.js';
import { createScimListenerStore } from '../store/scim-delivery/scim-listener-store.js';
import { createScimServerStore } from '../store/scim-delivery/scim-server-store.js';
import { createAccessEndingStore } from '../store/scim/access-ending-store.js';
import { createUserStore } from '../store/scim/user-store.js';
import { createMemberStore } from '../store/usergroups/member-store.js';
import { createUserGroupStore } from '../store/usergroups/usergroup-store.js';
import { createWorkspaceStore } from '../store/workspaces/workspace-store.js';

export type Stores = ReturnType<typeof createStores>;

/** The stores of all resources, by the names that use cases have for them. */
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

import { defineSchema, grantMarkModel } from '@dtplatform/mongo';
import { queueModels } from '@dtplatform/queue';
import { appModel } from '../directory/apps/apps.store.js';
import { bootstrapMarkModel } from '../directory/bootstrap/bootstrap.store.js';
import { deletionModel } from '../directory/deletions/deletions.store.js';
import { organizationModel } from '../directory/organizations/organizations.store.js';
import { permissionActionModel } from '../directory/permission_actions/permission-actions.store.js';
import { permissionProfileModel } from '../directory/permissionprofiles/permission-profiles.store.js';
import { workspaceModel } from '../directory/workspaces/workspaces.store.js';
import { inviteCountModel, inviteModel } from '../groups/invites/invites.model.js';
import { mailModel } from '../groups/mail/mail.store.js';
import { notificationTemplateModel } from '../groups/notification_templates/notification-templates.store.js';
import { memberModel, usergroupModel } from '../groups/usergroups/usergroups.model.js';
import { interactionModel, sessionModel } from '../oauth/authorize/browser-states.store.js';
import { consentModel } from '../oauth/consents/consents.store.js';
import { derivationSecretModel, signingKeyModel } from '../oauth/keys/keys.model.js';
import { passwordResetModel } from '../oauth/password-reset/password-resets.store.js';
import { authorizationModel } from '../oauth/token/authorizations.store.js';
import { deliveryModel, remoteUserModel } from '../scim/deliveries/deliveries.model.js';
import { scimListenerModel } from '../scim/listeners/scim-listeners.store.js';
import { scimServerModel } from '../scim/servers/scim-servers.store.js';
import { accessEndingModel } from '../scim/users/access-endings.store.js';
import { userCountModel } from '../scim/users/user-counts.store.js';
import { userModel } from '../scim/users/user.model.js';

/** The models and migrations of this version. Append migrations, and never change one (docs/adr/0013). */
export const schema = defineSchema({
  models: [
    ...queueModels,
    grantMarkModel,
    organizationModel,
    bootstrapMarkModel,
    appModel,
    userModel,
    userCountModel,
    accessEndingModel,
    workspaceModel,
    usergroupModel,
    memberModel,
    inviteModel,
    inviteCountModel,
    signingKeyModel,
    derivationSecretModel,
    authorizationModel,
    consentModel,
    sessionModel,
    passwordResetModel,
    interactionModel,
    scimServerModel,
    scimListenerModel,
    deliveryModel,
    remoteUserModel,
    mailModel,
    deletionModel,
    notificationTemplateModel,
    permissionActionModel,
    permissionProfileModel,
  ],
  migrations: [],
});

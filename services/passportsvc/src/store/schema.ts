import { defineSchema, grantMarkModel } from '@dtplatform/mongo';
import { queueModels } from '@dtplatform/queue';
import { appModel } from './apps/app.model.js';
import { bootstrapMarkModel } from './bootstrap/bootstrap-mark.model.js';
import { consentModel } from './consents/consent.model.js';
import { deletionModel } from './deletions/deletion.model.js';
import { derivationSecretModel } from './keys/derivation-secret.model.js';
import { inviteCountModel } from './invites/invite-count.model.js';
import { inviteModel } from './invites/invite.model.js';
import { signingKeyModel } from './keys/signing-key.model.js';
import { mailModel } from './mail/mail.model.js';
import { notificationTemplateModel } from './notification-templates/notification-template.model.js';
import { permissionActionModel } from './permission-actions/permission-action.model.js';
import { permissionProfileModel } from './permissionprofiles/permission-profile.model.js';
import { authorizationModel } from './oauth/authorization.model.js';
import { passwordResetModel } from './password-reset/password-reset.model.js';
import { interactionModel, sessionModel } from './oauth/browser-state.model.js';
import { organizationModel } from './organizations/organization.model.js';
import { deliveryModel } from './scim-delivery/delivery.model.js';
import { remoteUserModel } from './scim-delivery/remote-user.model.js';
import { scimListenerModel } from './scim-delivery/scim-listener.model.js';
import { scimServerModel } from './scim-delivery/scim-server.model.js';
import { accessEndingModel } from './scim/access-ending.model.js';
import { userCountModel } from './scim/user-count.model.js';
import { userModel } from './scim/user.model.js';
import { memberModel } from './usergroups/member.model.js';
import { usergroupModel } from './usergroups/usergroup.model.js';
import { workspaceModel } from './workspaces/workspace.model.js';

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

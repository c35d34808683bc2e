import { describe, it } from '@jest/globals';
import { expectSamePaths } from '@dtplatform/testing';
import { App } from '../src/domain/apps/app.js';
import { Consent } from '../src/domain/consents/consent.js';
import { Deletion } from '../src/domain/deletions/deletion.js';
import { Invite } from '../src/domain/invites/invite.js';
import { StoredKey } from '../src/domain/keys/stored-key.js';
import { Mail } from '../src/domain/mail/mail.js';
import { NotificationTemplate } from '../src/domain/notification-templates/notification-template.js';
import { PermissionProfile } from '../src/domain/permissionprofiles/permission-profile.js';
import { PermissionAction } from '../src/domain/permission-actions/permission-action.js';
import { Authorization } from '../src/domain/oauth/authorization.js';
import { BrowserState } from '../src/domain/oauth/browser-state.js';
import { PasswordReset } from '../src/domain/password-reset/password-reset.js';
import { Organization } from '../src/domain/organizations/organization.js';
import { Delivery, RemoteUser } from '../src/domain/scim-delivery/delivery.js';
import { ScimListener } from '../src/domain/scim-delivery/scim-listener.js';
import { ScimServer } from '../src/domain/scim-delivery/scim-server.js';
import { User } from '../src/domain/scim/user.js';
import { Member } from '../src/domain/usergroups/member.js';
import { UserGroup } from '../src/domain/usergroups/usergroup.js';
import { Workspace } from '../src/domain/workspaces/workspace.js';
import { appModel } from '../src/store/apps/app.model.js';
import { consentModel } from '../src/store/consents/consent.model.js';
import { deletionModel } from '../src/store/deletions/deletion.model.js';
import { inviteModel } from '../src/store/invites/invite.model.js';
import { signingKeyModel } from '../src/store/keys/signing-key.model.js';
import { mailModel } from '../src/store/mail/mail.model.js';
import { notificationTemplateModel } from '../src/store/notification-templates/notification-template.model.js';
import { permissionProfileModel } from '../src/store/permissionprofiles/permission-profile.model.js';
import { permissionActionModel } from '../src/store/permission-actions/permission-action.model.js';
import { authorizationModel } from '../src/store/oauth/authorization.model.js';
import { interactionModel, sessionModel } from '../src/store/oauth/browser-state.model.js';
import { passwordResetModel } from '../src/store/password-reset/password-reset.model.js';
import { organizationModel } from '../src/store/organizations/organization.model.js';
import { deliveryModel } from '../src/store/scim-delivery/delivery.model.js';
import { remoteUserModel } from '../src/store/scim-delivery/remote-user.model.js';
import { scimListenerModel } from '../src/store/scim-delivery/scim-listener.model.js';
import { scimServerModel } from '../src/store/scim-delivery/scim-server.model.js';
import { userModel } from '../src/store/scim/user.model.js';
import { memberModel } from '../src/store/usergroups/member.model.js';
import { usergroupModel } from '../src/store/usergroups/usergroup.model.js';
import { workspaceModel } from '../src/store/workspaces/workspace.model.js';

describe('the models', () => {
  it.each([
    ['apps', appModel, App],
    ['users', userModel, User],
    ['workspaces', workspaceModel, Workspace],
    ['user groups', usergroupModel, UserGroup],
    ['members', memberModel, Member],
    ['invites', inviteModel, Invite],
    ['organizations', organizationModel, Organization],
    ['signing keys', signingKeyModel, StoredKey],
    ['authorizations', authorizationModel, Authorization],
    ['consents', consentModel, Consent],
    ['deletions', deletionModel, Deletion],
    ['sessions', sessionModel, BrowserState],
    ['sign-ins', interactionModel, BrowserState],
    ['SCIM servers', scimServerModel, ScimServer],
    ['SCIM listeners', scimListenerModel, ScimListener],
    ['deliveries', deliveryModel, Delivery],
    ['remote users', remoteUserModel, RemoteUser],
    ['mails', mailModel, Mail],
    ['notification templates', notificationTemplateModel, NotificationTemplate],
    ['permission actions', permissionActionModel, PermissionAction],
    ['permission profiles', permissionProfileModel, PermissionProfile],
    ['password resets', passwordResetModel, PasswordReset],
  ])('of %s have the fields of their entities', (_name, model, entity) => expectSamePaths(model, entity));
});

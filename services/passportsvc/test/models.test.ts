import { describe, it } from '@jest/globals';
import { expectSamePaths } from '@dtplatform/testing';
import { App } from '../src/directory/apps/app.js';
import { appModel } from '../src/directory/apps/apps.store.js';
import { Deletion } from '../src/directory/deletions/deletions.js';
import { deletionModel } from '../src/directory/deletions/deletions.store.js';
import { Organization } from '../src/directory/organizations/organizations.js';
import { organizationModel } from '../src/directory/organizations/organizations.store.js';
import { PermissionAction } from '../src/directory/permission_actions/permission-actions.js';
import { permissionActionModel } from '../src/directory/permission_actions/permission-actions.store.js';
import { PermissionProfile } from '../src/directory/permissionprofiles/permission-profiles.js';
import { permissionProfileModel } from '../src/directory/permissionprofiles/permission-profiles.store.js';
import { Workspace } from '../src/directory/workspaces/workspace.js';
import { workspaceModel } from '../src/directory/workspaces/workspaces.store.js';
import { Invite } from '../src/groups/invites/invite.js';
import { inviteModel } from '../src/groups/invites/invites.model.js';
import { Mail } from '../src/groups/mail/mail.js';
import { mailModel } from '../src/groups/mail/mail.store.js';
import { NotificationTemplate } from '../src/groups/notification_templates/notification-template.js';
import { notificationTemplateModel } from '../src/groups/notification_templates/notification-templates.store.js';
import { Member } from '../src/groups/usergroups/members.js';
import { UserGroup } from '../src/groups/usergroups/usergroup.js';
import { memberModel, usergroupModel } from '../src/groups/usergroups/usergroups.model.js';
import { BrowserState, interactionModel, sessionModel } from '../src/oauth/authorize/browser-states.store.js';
import { Consent } from '../src/oauth/consents/consent.js';
import { consentModel } from '../src/oauth/consents/consents.store.js';
import { signingKeyModel } from '../src/oauth/keys/keys.model.js';
import { StoredKey } from '../src/oauth/keys/signing-keys.js';
import { PasswordReset } from '../src/oauth/password-reset/password-reset.js';
import { passwordResetModel } from '../src/oauth/password-reset/password-resets.store.js';
import { Authorization } from '../src/oauth/token/authorization.js';
import { authorizationModel } from '../src/oauth/token/authorizations.store.js';
import { deliveryModel, remoteUserModel } from '../src/scim/deliveries/deliveries.model.js';
import { Delivery, RemoteUser } from '../src/scim/deliveries/delivery.js';
import { ScimListener } from '../src/scim/listeners/scim-listeners.js';
import { scimListenerModel } from '../src/scim/listeners/scim-listeners.store.js';
import { ScimServer } from '../src/scim/servers/scim-server.js';
import { scimServerModel } from '../src/scim/servers/scim-servers.store.js';
import { User } from '../src/scim/users/user.js';
import { userModel } from '../src/scim/users/user.model.js';

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

import { defineErrors } from '@dtplatform/errors';

/** Errors of passportsvc, in addition to those of every service. */
export const errors = defineErrors({
  /** Errors of the token endpoint (RFC 6749, section 5.2). */
  invalidRequest: { status: 400, message: 'The request is not valid.' },
  invalidClient: { status: 401, message: 'The client is unknown, or its secret is wrong or missing.' },
  invalidGrant: {
    status: 400,
    message: 'The code or refresh token is unknown, expired, used or was issued for another request.',
  },
  unauthorizedClient: { status: 400, message: 'The client may not use this grant.' },
  unsupportedGrantType: {
    status: 400,
    message:
      'The grant type is not supported: grant_type must be authorization_code, refresh_token, client_credentials or urn:ietf:params:oauth:grant-type:token-exchange.',
  },
  invalidScope: { status: 400, message: 'The requested scope is unknown: scope must be made of read, write and scim.' },
  unknownOwner: { status: 400, message: '_appOwner is not the e-mail address of a user of the organization.' },
  unknownOrganization: { status: 400, message: '_orgId is not an organization.' },
  foreignOrganization: { status: 403, message: 'An application can manage only its own organization.' },
  shortNameTaken: { status: 400, message: '_shortName is taken by another application.' },
  workspacesLimit: { status: 400, message: 'workspaces.limit: the application must not have more workspaces.' },
  usergroupsLimit: { status: 400, message: 'usergroups.limit: the application must not have more user groups.' },
  onlyAdministrators: { status: 403, message: 'Only administrators can set _trusted.' },
  trustedApp: { status: 403, message: 'Only administrators and trusted clients may change a trusted application.' },
  namespaceNotInWorkspace: { status: 400, message: '_namespaces can hold only namespaces that the workspace has.' },
  namespaceNotInGroup: { status: 400, message: '_namespaces can hold only namespaces that the group has.' },
  unknownMember: { status: 400, message: "A member must be a user of the group's organization. Invite all others." },
  membersLimit: { status: 400, message: 'A user group has at most 1000 members.' },
  groupsOfUserLimit: { status: 400, message: 'A user is a member of at most 1000 user groups.' },
  templateRenamed: { status: 400, message: '_name must be that of the template.' },
  templateTaken: { status: 400, message: '_locale: the application has another template for this language.' },
  renderedTooLarge: { status: 400, message: '_params: with these values the mail is larger than 256 KiB.' },
  permissionActionsLimit: { status: 400, message: 'There are already 10,000 records. Delete some.' },
  alreadyInvited: { status: 400, message: 'An address has an open invite to the group.' },
  pendingInvitesLimit: { status: 400, message: 'A user group has at most 500 open invites.' },
  invitesPerDayLimit: {
    status: 429,
    message: 'A caller can send at most 500 invites in a day, and an address can get at most 10.',
  },
  inviteOfAnother: { status: 403, message: 'The invite was sent to an address that the user does not have.' },
  inviteClosed: { status: 409, message: 'The invite has expired or has been answered.' },
  queryTooSlow: { status: 400, message: 'The query takes too long. Narrow it down.' },
  /** Errors of SCIM (RFC 7644, section 3.12). */
  invalidFilter: { status: 400, message: 'The filter is not valid.' },
  invalidPath: { status: 400, message: 'The path does not name an attribute of a user.' },
  noTarget: { status: 400, message: 'The path does not match a value.' },
  invalidValue: { status: 400, message: 'The value is not valid.' },
  readOnlyAttribute: { status: 400, code: 'MUTABILITY', message: 'The attribute cannot be changed.' },
  tooManyMatches: { status: 400, code: 'TOO_MANY', message: 'The query takes too long. Narrow it down.' },
  administratorOnly: { status: 403, message: 'Only administrators and trusted clients may change an administrator.' },
  userNameTaken: { status: 409, code: 'UNIQUENESS', message: 'userName is taken by another user.' },
  addressNotAllowed: { status: 400, message: 'An address may not be called by the platform.' },
  tooManyScimServers: { status: 400, message: 'At most 100 SCIM servers can be registered.' },
  unknownScimServer: { status: 400, message: 'scimServerDetailId is not a SCIM server.' },
  listenerExists: { status: 400, message: 'The SCIM server has a listener for this event.' },
  deliveryNotFailed: { status: 409, message: 'Only a delivery that failed, to a server that exists, can be retried.' },
});

import { defineErrors } from '@dtplatform/errors';

export const errors = defineErrors({
  /** Token endpoint (RFC 6749, section 5.2). */
  invalidRequest: {
    status: 400,
    message: 'The request is not valid.',
    remedy: 'Read `error_description`: it names the parameter.',
  },
  invalidClient: {
    status: 401,
    message: 'The client is unknown, or its secret is wrong or missing.',
    remedy: 'Check the id and the secret of the app, and send them in one way only.',
  },
  invalidGrant: {
    status: 400,
    message: 'The code or refresh token is unknown, expired, used or was issued for another request.',
    remedy: 'Sign the user in again. Codes work once, for two minutes; refresh tokens work once.',
  },
  unauthorizedClient: {
    status: 400,
    message: 'The client may not use this grant.',
    remedy: 'Add the grant to `_authorizedGrantTypes` of the app.',
  },
  unsupportedGrantType: {
    status: 400,
    message:
      'The grant type is not supported: grant_type must be authorization_code, refresh_token, client_credentials or urn:ietf:params:oauth:grant-type:token-exchange.',
    remedy: 'Use one of `grant_types_supported` in the metadata.',
  },
  invalidScope: {
    status: 400,
    message: 'The requested scope is unknown: scope must be made of read, write and scim.',
    remedy: 'Send only `read`, `write` or `scim`.',
  },
  unknownOwner: {
    status: 400,
    message: '_appOwner is not the e-mail address of a user of the organization.',
    remedy: 'Send the address of a user of the organization in `_orgId`.',
  },
  unknownOrganization: {
    status: 400,
    message: '_orgId is not an organization.',
    remedy: 'List the organizations, or ask an administrator for the id.',
  },
  foreignOrganization: {
    status: 403,
    message: 'An application can manage only its own organization.',
    remedy: 'Call with an app of that organization, or as an administrator.',
  },
  shortNameTaken: {
    status: 400,
    message: '_shortName is taken by another application.',
    remedy: 'Choose another `_shortName`.',
  },
  workspacesLimit: {
    status: 400,
    message: 'workspaces.limit: the application must not have more workspaces.',
    remedy: 'Delete workspaces, or have the owner of the app raise `workspaces.limit`.',
  },
  usergroupsLimit: {
    status: 400,
    message: 'usergroups.limit: the application must not have more user groups.',
    remedy: 'Delete groups, or have the owner of the app raise `usergroups.limit`.',
  },
  onlyAdministrators: {
    status: 403,
    message: 'Only administrators can set _trusted.',
    remedy: 'Omit `_trusted`, or call as an administrator.',
  },
  trustedApp: {
    status: 403,
    message: 'Only administrators and trusted clients may change a trusted application.',
    remedy: 'Ask an administrator.',
  },
  namespaceNotInWorkspace: {
    status: 400,
    message: '_namespaces can hold only namespaces that the workspace has.',
    remedy: 'Send only namespaces that the workspace has now.',
  },
  namespaceNotInGroup: {
    status: 400,
    message: '_namespaces can hold only namespaces that the group has.',
    remedy: 'Send only namespaces that the group has now.',
  },
  unknownMember: {
    status: 400,
    message: "A member must be a user of the group's organization. Invite all others.",
    remedy: 'Invite users of other organizations.',
  },
  membersLimit: { status: 400, message: 'A user group has at most 1000 members.', remedy: 'Create a second group.' },
  groupsOfUserLimit: {
    status: 400,
    message: 'A user is a member of at most 1000 user groups.',
    remedy: 'Take the user out of other groups.',
  },
  templateRenamed: {
    status: 400,
    message: '_name must be that of the template.',
    remedy: 'Create a template of the other name, and delete this one.',
  },
  templateTaken: {
    status: 400,
    message: '_locale: the application has another template for this language.',
    remedy: 'Change the existing template.',
  },
  renderedTooLarge: {
    status: 400,
    message: '_params: with these values the mail is larger than 256 KiB.',
    remedy: 'Send shorter values in `_params`.',
  },
  permissionActionsLimit: {
    status: 400,
    message: 'There are already 10,000 records. Delete some.',
    remedy: 'Delete records that no service needs any more.',
  },
  alreadyInvited: {
    status: 400,
    message: 'An address has an open invite to the group.',
    remedy: 'Wait for the answer, or withdraw the invite.',
  },
  pendingInvitesLimit: {
    status: 400,
    message: 'A user group has at most 500 open invites.',
    remedy: 'Wait for answers, or withdraw invites.',
  },
  invitesPerDayLimit: {
    status: 429,
    message: 'A caller can send at most 500 invites in a day, and an address can get at most 10.',
    remedy: 'Wait for as many seconds as `Retry-After` says.',
  },
  inviteOfAnother: {
    status: 403,
    message: 'The invite was sent to an address that the user does not have.',
    remedy: 'Sign in as the user who has the address.',
  },
  inviteClosed: {
    status: 409,
    message: 'The invite has expired or has been answered.',
    remedy: 'Ask for a new invite.',
  },
  queryTooSlow: { status: 400, message: 'The query takes too long. Narrow it down.', remedy: 'Add other filters.' },
  /** SCIM (RFC 7644, section 3.12). */
  invalidFilter: {
    status: 400,
    message: 'The filter is not valid.',
    remedy: 'Write the filter as in RFC 7644, section 3.4.2.2.',
  },
  invalidPath: {
    status: 400,
    message: 'The path does not name an attribute of a user.',
    remedy: 'Use the names of attributes in the schema of users.',
  },
  noTarget: {
    status: 400,
    message: 'The path does not match a value.',
    remedy: 'Read the user, and name an existing value.',
  },
  invalidValue: {
    status: 400,
    message: 'The value is not valid.',
    remedy: 'Compare the value with the type of the attribute.',
  },
  readOnlyAttribute: {
    status: 400,
    code: 'MUTABILITY',
    message: 'The attribute cannot be changed.',
    remedy: 'Leave the attribute out.',
  },
  tooManyMatches: {
    status: 400,
    code: 'TOO_MANY',
    message: 'The query takes too long. Narrow it down.',
    remedy: 'Narrow the filter.',
  },
  administratorOnly: {
    status: 403,
    message: 'Only administrators and trusted clients may change an administrator.',
    remedy: 'Call as an administrator.',
  },
  userNameTaken: {
    status: 409,
    code: 'UNIQUENESS',
    message: 'userName is taken by another user.',
    remedy: 'Choose another `userName`, or change the user who has it.',
  },
  addressNotAllowed: {
    status: 400,
    message: 'An address may not be called by the platform.',
    remedy: 'Use a public HTTPS address, or ask the operator to allow it (`EGRESS_ALLOW`).',
  },
  tooManyScimServers: {
    status: 400,
    message: 'At most 100 SCIM servers can be registered.',
    remedy: 'Delete servers that are not used.',
  },
  unknownScimServer: {
    status: 400,
    message: 'scimServerDetailId is not a SCIM server.',
    remedy: 'Register the server first.',
  },
  listenerExists: {
    status: 400,
    message: 'The SCIM server has a listener for this event.',
    remedy: 'Change the existing listener.',
  },
  deliveryNotFailed: {
    status: 409,
    message: 'Only a delivery that failed, to a server that exists, can be retried.',
    remedy: 'Wait until the delivery has ended, or register the server again.',
  },
});

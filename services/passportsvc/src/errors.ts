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
    remedy: 'Check the id and the secret of the app, and send them in one place only.',
  },
  invalidGrant: {
    status: 400,
    message: 'The code or refresh token is unknown, expired, already used or was issued for another request.',
    remedy: 'Sign the user in again. Codes work once, for two minutes; refresh tokens work once.',
  },
  unauthorizedClient: {
    status: 400,
    message: 'The client is not allowed to use this grant.',
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
    message: 'The requested scope is unknown: scope can contain only read, write and scim.',
    remedy: 'Send only `read`, `write` or `scim`.',
  },
  unknownOwner: {
    status: 400,
    message: '_appOwner must be the email address of a user of the organization.',
    remedy: 'Send the address of a user who belongs to the organization `_orgId`.',
  },
  unknownOrganization: {
    status: 400,
    message: '_orgId must be the id of an organization.',
    remedy: 'List the organizations, or ask an administrator for the id.',
  },
  foreignOrganization: {
    status: 403,
    message: 'An application can manage only its own organization.',
    remedy: 'Use an app of that organization, or call as an administrator.',
  },
  shortNameTaken: {
    status: 400,
    message: '_shortName is taken by another application.',
    remedy: 'Choose another `_shortName`.',
  },
  workspacesLimit: {
    status: 400,
    message: 'workspaces.limit: the application has reached its limit of workspaces.',
    remedy: 'Delete workspaces, or have the owner of the app raise `workspaces.limit`.',
  },
  usergroupsLimit: {
    status: 400,
    message: 'usergroups.limit: the application has reached its limit of user groups.',
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
  serviceClientSecret: {
    status: 409,
    message: 'The secret of this application is the setting SERVICE_CLIENT_SECRET of the services.',
    remedy: 'Change the setting as the operations guide describes.',
  },
  keyNeeded: {
    status: 409,
    message: 'The key signs tokens, will sign them, or has signed tokens that are still valid.',
    remedy: 'Rotate, and wait until `_until` of the key. For a leaked key, run the command `rotate-keys --revoke`.',
  },
  namespaceNotInWorkspace: {
    status: 400,
    message: '_namespaces can contain only namespaces of the workspace.',
    remedy: 'Send only current namespaces of the workspace.',
  },
  namespaceNotInGroup: {
    status: 400,
    message: '_namespaces can contain only namespaces of the group.',
    remedy: 'Send only current namespaces of the group.',
  },
  unknownMember: {
    status: 400,
    message: "Members must be users of the group's organization. Invite others.",
    remedy: 'Invite users of other organizations.',
  },
  membersLimit: {
    status: 400,
    message: 'A user group can have at most 1000 members.',
    remedy: 'Create a second group.',
  },
  groupsOfUserLimit: {
    status: 400,
    message: 'A user can be a member of at most 1000 user groups.',
    remedy: 'Remove the user from other groups.',
  },
  templateRenamed: {
    status: 400,
    message: '_name must be the name of the template.',
    remedy: 'Send the current `_name` of the template.',
  },
  templateTaken: {
    status: 400,
    message: '_locale: the application already has a template for this language.',
    remedy: 'Change the existing template.',
  },
  renderedTooLarge: {
    status: 400,
    message: '_params: with these values the mail exceeds 256 KiB.',
    remedy: 'Send shorter values in `_params`.',
  },
  permissionActionsLimit: {
    status: 400,
    message: 'There are already 10,000 records. Delete some.',
    remedy: 'Delete records that no service needs any more.',
  },
  alreadyInvited: {
    status: 400,
    message: 'An address already has an open invite to the group.',
    remedy: 'Wait for the answer, or cancel the invite.',
  },
  pendingInvitesLimit: {
    status: 400,
    message: 'A user group can have at most 500 open invites.',
    remedy: 'Wait for answers, or cancel invites.',
  },
  invitesPerDayLimit: {
    status: 429,
    message: 'A caller can send at most 500 invites per day, and an address can receive at most 10.',
    remedy: 'Wait for the number of seconds in `Retry-After`.',
  },
  inviteOfAnother: {
    status: 403,
    message: 'The invite was sent to an address that does not belong to the user.',
    remedy: 'Sign in as the user with this address.',
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
    remedy: 'Use attribute names from the user schema.',
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
  lastAdministrator: {
    status: 409,
    message: 'This is the last active administrator of the platform.',
    remedy: 'Give another administrator access first.',
  },
  platformApp: {
    status: 409,
    message: 'The platform itself uses this application.',
    remedy: 'It cannot be deleted, and the way in which the console signs users in cannot be changed.',
  },
  userNameTaken: {
    status: 409,
    code: 'UNIQUENESS',
    message: 'userName is taken by another user.',
    remedy: 'Choose another `userName`, or change the user who has it.',
  },
  addressNotAllowed: {
    status: 400,
    message: 'The platform is not allowed to call one of the addresses.',
    remedy: 'Use a public HTTPS address, or ask the operator to allow it (`EGRESS_ALLOW`).',
  },
  tooManyScimServers: {
    status: 400,
    message: 'At most 100 SCIM servers can be registered.',
    remedy: 'Delete servers that are not used.',
  },
  unknownScimServer: {
    status: 400,
    message: 'scimServerDetailId must be the id of a SCIM server.',
    remedy: 'Register the server first.',
  },
  listenerExists: {
    status: 400,
    message: 'The SCIM server already has a listener for this event.',
    remedy: 'Change the existing listener.',
  },
  deliveryNotFailed: {
    status: 409,
    message: 'Only a failed delivery to an existing server can be retried.',
    remedy: 'Wait until the delivery has ended, or register the server again.',
  },
});

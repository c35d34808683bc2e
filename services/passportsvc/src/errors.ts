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
  unsupportedGrantType: { status: 400, message: 'The grant type is not supported.' },
  invalidScope: { status: 400, message: 'The requested scope is unknown.' },
  unknownOwner: { status: 400, message: '_appOwner is not the e-mail address of a user of the organization.' },
  unknownOrganization: { status: 400, message: '_orgId is not an organization.' },
  foreignOrganization: { status: 403, message: 'An application can manage only its own organization.' },
  shortNameTaken: { status: 400, message: '_shortName is taken by another application.' },
  workspacesLimit: { status: 400, message: 'workspaces.limit: the application must not have more workspaces.' },
  usergroupsLimit: { status: 400, message: 'usergroups.limit: the application must not have more user groups.' },
  onlyAdministrators: { status: 403, message: 'Only administrators can set _trusted.' },
  namespaceNotInWorkspace: { status: 400, message: '_namespaces can hold only namespaces that the workspace has.' },
  namespaceNotInGroup: { status: 400, message: '_namespaces can hold only namespaces that the group has.' },
  unknownMember: { status: 400, message: "A member must be a user of the group's organization. Invite all others." },
  membersLimit: { status: 400, message: 'A user group has at most 1000 members.' },
  groupsOfUserLimit: { status: 400, message: 'A user is a member of at most 1000 user groups.' },
  queryTooSlow: { status: 400, message: 'The query takes too long. Narrow it down.' },
  /** Errors of SCIM (RFC 7644, section 3.12). */
  invalidFilter: { status: 400, message: 'The filter is not valid.' },
  invalidPath: { status: 400, message: 'The path names no attribute of a user.' },
  noTarget: { status: 400, message: 'The path leads to no value.' },
  invalidValue: { status: 400, message: 'The value is not valid.' },
  readOnlyAttribute: { status: 400, code: 'MUTABILITY', message: 'The attribute cannot be changed.' },
  tooManyMatches: { status: 400, code: 'TOO_MANY', message: 'The query takes too long. Narrow it down.' },
  administratorOnly: { status: 403, message: 'Only administrators and trusted clients may change an administrator.' },
  userNameTaken: { status: 409, code: 'UNIQUENESS', message: 'userName is taken by another user.' },
  addressNotAllowed: { status: 400, message: 'An address may not be called by the platform.' },
  tooManyScimServers: { status: 400, message: 'There must not be more than 100 SCIM servers.' },
  unknownScimServer: { status: 400, message: 'scimServerDetailId is not a SCIM server.' },
  listenerExists: { status: 400, message: 'The SCIM server has a listener for this event.' },
  deliveryNotFailed: { status: 409, message: 'Only a delivery that failed, to a server that exists, can be retried.' },
});

import { type DescribedOperation, needsToken } from '../support/openapi.js';

export const CALLERS = [
  'no token',
  'an expired token',
  'another tenant',
  'no permission',
  'read only',
  'an app of another organization',
  'an administrator',
] as const;
export type Caller = (typeof CALLERS)[number];

/**
 * What a caller gets for the resources of a tenant:
 * - `open`: a response without a token
 * - `unauthorized`, `forbidden`: a 401, a 403
 * - `hidden`: a 404 that equals the one for an id that does not exist
 * - `nothing`: a response without anything of the tenant
 * - `allowed`: anything but a 401 or 403
 */
export type Outcome = 'open' | 'unauthorized' | 'forbidden' | 'hidden' | 'nothing' | 'allowed';

const KIND: Partial<Record<Caller, string>> = { 'an app of another organization': 'app', 'an administrator': 'admin' };

/** The expected outcome for the resources of a tenant, by the operation's declaration. */
export function expectedFor(operation: DescribedOperation, caller: Caller): Outcome {
  const { 'x-permission': permission, 'x-callers': callers } = operation;
  if (!needsToken(operation)) return 'open';
  if (caller === 'no token' || caller === 'an expired token') return 'unauthorized';
  if (callers && !callers.includes(KIND[caller] ?? 'user')) return 'forbidden';
  if (!permission) return 'allowed';
  return BY_RULE[permission.rule](caller, operation);
}

const hidesOrEmpty = (_caller: Caller, operation: DescribedOperation): Outcome =>
  hasId(operation) ? 'hidden' : 'nothing';
const reads = (caller: Caller, { 'x-permission': permission }: DescribedOperation) =>
  caller === 'read only' && permission?.action === 'READ';

type Rule = NonNullable<DescribedOperation['x-permission']>['rule'];
const BY_RULE: Record<Rule, (caller: Caller, operation: DescribedOperation) => Outcome> = {
  resource(caller, operation) {
    if (reads(caller, operation)) return 'allowed';
    return caller === 'read only' ? 'forbidden' : 'hidden';
  },
  all: () => 'forbidden',
  filter: (caller, operation) => (reads(caller, operation) ? 'allowed' : 'nothing'),
  entries: () => 'nothing',
  organization: (caller, operation) => (caller === 'an administrator' ? 'allowed' : hidesOrEmpty(caller, operation)),
  own: hidesOrEmpty,
  anyone: () => 'allowed',
};

/** Whether the path names one resource. */
export const hasId = ({ path }: DescribedOperation): boolean => /\{(id|\w+Id)\}/.test(path);

/**
 * A response that does not follow from the declaration. A number is a status; it too must be the same for unknown ids.
 */
export interface Exception {
  operations: readonly string[];
  callers: readonly Caller[];
  outcome: Outcome | number;
  reason: string;
}

const EVERYBODY_ELSE = [
  'another tenant',
  'no permission',
  'an app of another organization',
  'an administrator',
] as const;

/** Each must be necessary, for each of its operations and callers. */
export const EXCEPTIONS: Exception[] = [
  {
    operations: ['items.search'],
    callers: EVERYBODY_ELSE,
    outcome: 'forbidden',
    reason: 'The body of a request is read only if the caller holds something in the namespace.',
  },
  {
    operations: ['apps.get', 'apps.list', 'apps.update', 'apps.replaceSecret', 'apps.delete'],
    callers: ['an administrator'],
    outcome: 'allowed',
    reason: 'Administrators manage all applications.',
  },
  {
    operations: ['appConfigs.get', 'appConfigs.replace', 'appConfigs.update', 'appConfigs.clear'],
    callers: ['an administrator'],
    outcome: 'allowed',
    reason: 'Administrators manage all applications.',
  },
  {
    operations: ['apps.create'],
    callers: ['an app of another organization'],
    outcome: 'forbidden',
    reason: 'The body names an organization.',
  },
  {
    operations: ['audit.list'],
    callers: ['an app of another organization'],
    outcome: 'allowed',
    reason: 'It sees the entries of its own organization.',
  },
  {
    operations: ['users.show'],
    callers: ['read only', 'an administrator'],
    outcome: 'allowed',
    reason: 'The reader shares a namespace with the user; administrators see all users.',
  },
  {
    operations: ['notificationTemplates.get'],
    callers: ['another tenant', 'no permission', 'read only', 'an administrator'],
    outcome: 'allowed',
    reason: 'The templates are those of the application that all of them use.',
  },
  {
    operations: ['notificationTemplates.update'],
    callers: ['another tenant', 'no permission', 'read only'],
    outcome: 'forbidden',
    reason: 'They see the templates of the application that they use, and its owner may change them.',
  },
  {
    operations: ['notificationTemplates.update'],
    callers: ['an administrator'],
    outcome: 'allowed',
    reason: 'Administrators change the templates of all applications.',
  },
  {
    operations: ['asyncTasks.get', 'telemetryTasks.get'],
    callers: ['an administrator'],
    outcome: 'allowed',
    reason: 'Administrators see all tasks.',
  },
  {
    operations: ['files.update'],
    callers: EVERYBODY_ELSE,
    outcome: 400,
    reason: 'The contract has a 400 for files that are missing (docs/contract.md, "PUT /files/{id}").',
  },
];

export const exceptionOf = ({ operationId }: DescribedOperation, caller: Caller): Exception | undefined =>
  EXCEPTIONS.find(({ operations, callers }) => operations.includes(operationId) && callers.includes(caller));

/** Fields in which an id of another tenant is accepted, with the reason. Each must be necessary. */
export const HARMLESS: Record<string, string> = {
  'items.search _userItemVersionId': 'No collection of the caller has this version, so the search finds nothing.',
  'relatedItems.create _relatedUserItemDbId': 'Searches follow links only to collections that the caller may read.',
  'relatedItems.createMany _relatedUserItemDbId': 'Searches follow links only to collections that the caller may read.',
  'relatedItems.update _relatedUserItemDbId': 'Searches follow links only to collections that the caller may read.',
  'relatedItems.create _fileId': 'Stored as it is; content is read with the rights of the caller.',
  'relatedItems.create _fileVersionId': 'Stored as it is; content is read with the rights of the caller.',
  'relatedItems.createMany _fileId': 'Stored as it is; content is read with the rights of the caller.',
  'relatedItems.createMany _fileVersionId': 'Stored as it is; content is read with the rights of the caller.',
  'relatedItems.update _fileId': 'Stored as it is; content is read with the rights of the caller.',
  'relatedItems.update _fileVersionId': 'Stored as it is; content is read with the rights of the caller.',
  'usergroups.addMembers _id': 'Groups take the users of their organization, by their ids.',
  'usergroups.removeMembers _id': 'Who is no member is none afterwards.',
  'permissions.check _id': 'The answer is about a namespace in which the caller holds SHARE.',
  'permissions.check _irn': 'The answer is about a namespace in which the caller holds SHARE.',
  'permissions.check _namespace': 'The answer is about the caller itself.',
  'permissions.put _irn': 'The permission is one in the namespace of the caller, where this resource is not.',
  'permissions.put _id': 'Holders of SHARE can grant permissions to anyone.',
};

/** Operations without a 2xx for a caller with every permission, with the reason. */
export const NOT_DONE: Record<string, { status: number; reason: string }> = {
  'notificationTemplates.update': { status: 403, reason: 'Only the owner of the application that is used may.' },
  'scimDeliveries.retry': { status: 409, reason: 'The delivery has not been given up.' },
  'fileTasks.get': { status: 404, reason: 'Only large deletions are tasks.' },
  'signingKeys.retire': { status: 409, reason: 'The key signs tokens.' },
  'consents.revoke': { status: 404, reason: 'Users of the same organization are not asked for their consent.' },
  'runs.cancel': { status: 409, reason: 'The run has ended.' },
  'runs.retry': { status: 409, reason: 'The run is completed.' },
  'deadLetters.deleteMany': { status: 404, reason: 'The ids are not those of dead letters.' },
};

/** Variants of an operation that no kind of call selects. Their routes check before the handler runs, by `permit`. */
export const NOT_CALLED = ['runs.watch', 'uploads.progress', 'uploads.cancel'];

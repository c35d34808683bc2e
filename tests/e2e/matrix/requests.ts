import { randomBytes } from 'node:crypto';
import { type DescribedOperation, jsonBodyOf, needsToken, resolveSchema, type Schema } from '../support/openapi.js';
import { dev, type Request, type ServiceName } from '../support/platform.js';
import type { Tenant } from './tenant.js';

/** An id that nothing has. */
export const UNKNOWN_ID = 'ffffffffffffffffffffffff';

/** A name that never resolves (RFC 2606), as an address that production permits. */
const NOWHERE = 'https://nowhere.invalid';

/** Values by the name of a parameter or field. */
type Values = Record<string, unknown>;

/** Names of parameters and fields whose values belong to somebody. */
const ID_SHAPED = /(^|_|\.)ids?$|Ids?$|namespace|nsfilter|parents|irn$|profileid$|_orchid$|appOwner$/;

/** A way to call an operation: the path, and the request. */
export interface Call {
  method: string;
  path: string;
  request: Request;
}

/** The kinds of call of an operation: one per content type of its body, and one without a body if that is optional. */
export function kindsOf(operation: DescribedOperation): DescribedOperation[] {
  const { requestBody, operationId } = operation;
  const [first, ...more] = Object.entries(requestBody?.content ?? {});
  if (!requestBody || !first) return [operation];
  const { requestBody: _body, ...bodiless } = operation;
  const ofType = ([type, body]: [string, unknown]) => ({ ...requestBody, content: { [type]: body } });
  return [
    { ...operation, requestBody: ofType(first) },
    ...more.map((each) => ({ ...operation, operationId: `${operationId} as ${each[0]}`, requestBody: ofType(each) })),
    ...(requestBody.required ? [] : [{ ...bodiless, operationId: `${operationId} without a body` }]),
  ];
}

/** The name of an operation, whatever the kind of call. */
export const nameOf = ({ operationId }: DescribedOperation): string => operationId.replace(/ .*/, '');

/**
 * Makes a valid call of an operation with the ids of one tenant.
 * @param options `ids` for the path, and `values` for fields, instead of the tenant's
 */
export function callOf(
  operation: DescribedOperation,
  tenant: Tenant,
  options: { ids?: Tenant['ids']; values?: Values } = {},
): Call {
  const ids = ofService(operation, options.ids ?? tenant.ids);
  const values = valuesFor(operation, tenant, options.values);
  const wanted = new Set(Object.keys(options.values ?? {}));
  return {
    method: operation.method,
    path: pathOf(operation, ids, values),
    request: { query: queryOf(operation, values, wanted), ...bodyOf(operation, values, wanted) },
  };
}

/** Values of a tenant by the names of parameters and fields, as an operation takes them. */
export const valuesFor = (operation: DescribedOperation, tenant: Tenant, values: Values = {}): Values =>
  withUser({ ...valuesOf(tenant), ...irnsOf(operation), ...values });

/** Services other than objectmodelsvc expose only the permissions on their own resources. */
const ofService = ({ service }: DescribedOperation, ids: Record<string, string>) => ({
  ...ids,
  permissions: ids[`permissions of ${service}`] ?? ids.permissions!,
});

function irnsOf({ service, operationId }: DescribedOperation): Values {
  if (service === 'objectmodelsvc' || !operationId.startsWith('permissions.')) return {};
  return { _irn: `${service}:*:*`, '_resourceDesc._irn': `${service}:*:*` };
}

/** Names of all parameters and fields that take an id. @throws if one of them has no value */
export function idFields(operation: DescribedOperation, tenant: Tenant): string[] {
  const names = (operation.parameters ?? []).filter((each) => each.in === 'query').map(({ name }) => name);
  for (const { schema } of Object.values(operation.requestBody?.content ?? {}) as { schema?: Schema }[]) {
    collectNames(operation.service, schema, names);
  }
  const values = withUser(valuesOf(tenant));
  const open = OPEN_BODIES[nameOf(operation)];
  if (open) names.push(...keysIn(open(values, new Set())));
  const idNames = [...new Set(names)].filter((name) => ID_SHAPED.test(name) && !NO_IDS.includes(name));
  for (const name of idNames) if (!(name in values)) throw new Error(`valuesOf has no value for ${name}`);
  return idNames;
}

/** Queries that would find a tenant's resources if a list ignored its caller's permissions. */
export function queriesFor({ service, parameters = [] }: DescribedOperation, { ids, mark }: Tenant): string[] {
  if (!parameters.some(({ name }) => name === 'query')) return [];
  if (service === 'passportsvc') return ['*', mark, `*${mark}*`];
  const conditions = [
    {},
    { _id: { $in: Object.values(ids) } },
    { _name: { $regex: mark } },
    { $or: [{ _name: mark }, { _id: { $ne: UNKNOWN_ID } }] },
  ];
  return conditions.map((condition) => JSON.stringify(condition));
}

/** The names of all fields of a body. */
function keysIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap(keysIn);
  return Array.isArray(value) ? inside : [...Object.keys(value), ...inside];
}

/** They look like ids. */
const NO_IDS = [
  ...['clientId', 'realmId', 'sequence_type_id', '_userItemId', '_orgId', '_sourceId', 'externalId'],
  ...['_fileRepositoryId', 'srcId', '_relatedToIds'],
];

function collectNames(service: ServiceName, schema: Schema | undefined, names: string[]): void {
  const { properties = {}, anyOf = [], items } = resolve(service, schema);
  for (const [name, property] of Object.entries(properties)) {
    names.push(name);
    collectNames(service, property, names);
  }
  for (const each of [...anyOf, ...(items ? [items] : [])]) collectNames(service, each, names);
}

/** `_id` is a user's wherever a body has it. */
export function valuesOf({ person, namespace, ids, mark }: Tenant): Values {
  const file = `filesvc:file:${ids.files}`;
  return {
    ...{ nsfilter: namespace, namespace, _namespace: namespace, _namespaces: [namespace] },
    ...{ _parents: [ids.folder], _ids: [ids.folder], file_id: ids.files, _fileId: ids.filestore },
    _fileIds: [ids.files],
    ...{ _fileVersionId: ids.fileVersion, userItemVersionId: ids.itemVersion, _orchid: ids.orchestrators },
    ...{ '_user._id': person.id, '_user._type': 'user', _id: person.id, userId: person.id },
    ...{ _irn: file, '_resourceDesc._irn': file, patternmatch: 'false', _memberIds: [person.id] },
    ...{ _permissionprofileid: ids.permissionprofiles, scimServerDetailId: ids.servers, _appId: ids.apps },
    ...{ _appOwner: person.email, _orgId: dev.orgId, _redirectUris: dev.redirectUri, _authorizedOrigins: '' },
    ...{ _email: `${unique()}@example.com`, baseUrl: NOWHERE, tokenUrl: NOWHERE },
    ...{ checksum: 'none', _checksum: 'none', _telItemId: ids.telemetryItem, otherLetter: ids.otherLetter },
    ...{ _itemClass: 'NamedUserCollection', _itemId: ids.nameduseritems, _userItemVersionId: ids.itemVersion },
    ...{ _to: person.email, _byId: person.id, _resourceId: ids.apps, _messageIds: [UNKNOWN_ID] },
    _templateId: ids.notification_templates,
    ...{ _relatedUserItemDbId: ids.composite, expires: '1' },
    tasks: [{ _orchcomp: 'wait', _sequenceno: 1, _name: mark, _actualparams: { ms: 1 } }],
  };
}

const withUser = (values: Values): Values => ({ ...values, _user: { _type: 'user', _id: values._id } });

const unique = () => `e2e${randomBytes(5).toString('hex')}`;

function pathOf(operation: DescribedOperation, ids: Tenant['ids'], { namespace }: Values): string {
  const { path, operationId } = operation;
  return path
    .replace('/components/{name}', '/components/wait')
    .replace('/queues/{id}', '/queues/passportsvc.mail')
    .replace('{name}', 'dtplatform.filesvc.FileCount')
    .replace('{dimensions}', `namespace=${String(namespace)}`)
    .replace(/\/(\w+)\/\{\w+\}/g, (_, segment: string) => {
      const id = ids[IDS_OF_OPERATIONS[operationId]?.[segment] ?? segment];
      if (id === undefined && !needsToken(operation)) return `/${segment}/${UNKNOWN_ID}`;
      if (id === undefined) throw new Error(`the tenant has nothing in ${path}`);
      return `/${segment}/${id}`;
    });
}

const ITEM_VERSION = { versions: 'itemVersion' };
const COMPOSITE = { nameduseritems: 'composite' };
/** By the preceding path segment, where the tenant's ids differ from those of the segment's name. */
const IDS_OF_OPERATIONS: Record<string, Record<string, string>> = {
  'files.children': { files: 'folder' },
  'uploads.append': { files: 'upload' },
  'uploads.progress': { files: 'upload' },
  'versions.get': ITEM_VERSION,
  'versions.update': ITEM_VERSION,
  'versions.delete': ITEM_VERSION,
  'readings.create': { nameduseritems: 'telemetryCollection' },
  'readings.list': { nameduseritems: 'telemetryCollection' },
  'relatedCollections.create': COMPOSITE,
  'relatedCollections.list': COMPOSITE,
  'relatedCollections.delete': COMPOSITE,
};

function queryOf(operation: DescribedOperation, values: Values, wanted: Set<string>): Record<string, string> {
  const query: Record<string, string> = {};
  for (const { name, in: place, required, schema } of operation.parameters ?? []) {
    if (place !== 'query' || !(required || wanted.has(name) || isAlwaysSent(name, operation))) continue;
    const value = values[name] ?? (name === 'query' ? '{}' : sample(operation.service, schema, name, values, wanted));
    query[name] = Array.isArray(value) ? String(value[0]) : String(value);
  }
  return query;
}

function bodyOf(
  operation: DescribedOperation,
  values: Values,
  wanted: Set<string>,
): Pick<Request, 'json' | 'body' | 'headers'> {
  const content = (operation.requestBody?.content ?? {}) as Record<string, { schema?: Schema }>;
  if (content['application/offset+octet-stream']) {
    return { body: 'hello', headers: { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' } };
  }
  if (content['multipart/form-data']) return { body: formOf(values) };
  const { schema } = jsonBodyOf(operation) ?? {};
  if (!schema) return {};
  const open = OPEN_BODIES[nameOf(operation)];
  return { json: open ? open(values, wanted) : sample(operation.service, schema, '', values, wanted) };
}

function formOf({ _namespaces }: Values): FormData {
  const form = new FormData();
  form.set('_namespaces', String(_namespaces));
  form.set('file', new Blob(['hello']), `${unique()}.txt`);
  return form;
}

/** A value of a schema: required fields, and the wanted ones. */
export function sample(
  service: ServiceName,
  given: Schema,
  name: string,
  values: Values,
  wanted: Set<string>,
): unknown {
  if (name in values) return values[name];
  const schema = resolve(service, given);
  if (schema.anyOf) return sample(service, schema.anyOf[0]!, name, values, wanted);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'array') return [sample(service, schema.items ?? {}, '', values, wanted)];
  if (schema.type === 'object') {
    const { properties = {}, required = [] } = schema;
    const names = Object.keys(properties).filter(
      (each) => required.includes(each) || wanted.has(each) || GIVEN.includes(each),
    );
    return Object.fromEntries(names.map((each) => [each, sample(service, properties[each]!, each, values, wanted)]));
  }
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(schema.minimum ?? 1, 1);
  if (schema.type === 'boolean') return false;
  // Bodies that are lists of ids name users.
  return schema.pattern === '^[0-9a-f]{24}$' ? values._id : unique();
}

/** Optional parameters without which there is no response. */
function isAlwaysSent(name: string, operation: DescribedOperation): boolean {
  const { method, requestBody, operationId } = operation;
  if (name === 'uploadType') return jsonBodyOf(operation) !== undefined;
  // Another operation may have created a new version.
  if (name === 'userItemVersionId') return operationId === 'relatedItems.delete';
  if (name === '_name' || name === '_namespaces') return method === 'POST' && requestBody === undefined;
  return ['_svc', 'namespace', 'checksum'].includes(name);
}

/** Optional fields, some of which services require. */
const GIVEN = ['_name', '_shortName', '_namespaces', 'tasks', '_itemClass'];

const resolve = (service: ServiceName, schema: Schema = {}) => resolveSchema(service, schema);

const SCIM = 'urn:ietf:params:scim';
const user = () => ({ schemas: [`${SCIM}:schemas:core:2.0:User`], userName: `${unique()}@example.com`, active: true });

/** Bodies whose description is incomplete. */
const OPEN_BODIES: Record<string, (values: Values, wanted: Set<string>) => unknown> = {
  'permissions.put': ({ _namespace, _irn, _user }) => [
    { _namespace, _resourceDesc: { _irn }, _user, _actions: ['READ'] },
  ],
  'schedules.times': () => ({ cron: '0 6 * * MON' }),
  'relatedItems.create': () => [{ secret: unique() }],
  'readings.create': ({ _telItemId }, wanted) => [
    { _ts: 0, _tsMetadata: wanted.has('_telItemId') ? { _telItemId } : { _sourceId: 'sensor' } },
  ],
  'deadLetters.replay': ({ _ids, otherLetter }, wanted) => ({ _ids: wanted.has('_ids') ? _ids : [otherLetter] }),
  'messages.create': () => [{ secret: unique() }],
  'indexes.create': () => [{ key: { secret: 1 } }],
  'relatedItems.createMany': () => [{ secret: unique() }],
  'relatedCollections.create': ({ _itemId, _userItemVersionId }, wanted) => [
    { _itemId, ...(wanted.has('_userItemVersionId') && { _userItemVersionId }) },
  ],
  'items.search': ({ _itemClass, _userItemVersionId }, wanted) => ({
    $findInCollections: {
      collectionDesc: { _itemClass, ...(wanted.has('_userItemVersionId') && { _userItemVersionId }) },
    },
  }),
  'users.create': user,
  'users.replace': user,
  'users.patch': () => ({
    schemas: [`${SCIM}:api:messages:2.0:PatchOp`],
    Operations: [{ op: 'replace', path: 'displayName', value: unique() }],
  }),
  'users.search': () => ({ schemas: [`${SCIM}:api:messages:2.0:SearchRequest`] }),
  'scim.search': () => ({ schemas: [`${SCIM}:api:messages:2.0:SearchRequest`] }),
  'usergroups.update': ({ _namespaces }, wanted) => ({
    _description: unique(),
    ...(wanted.has('_namespaces') && { _namespaces }),
  }),
  'invites.change': () => ({ _status: 'CANCELLED' }),
};

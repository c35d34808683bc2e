import { randomBytes } from 'node:crypto';
import { eventually } from '@dtplatform/testing';
import { enter, type Person, trustedToken } from '../support/people.js';
import { dev } from '../support/platform.js';
import { createOrchestrator, createPermissionProfile, grant, must } from '../support/resources.js';

/** A user with one resource of each kind. */
export interface Tenant {
  person: Person;
  namespace: string;
  /** Part of the names of all its resources and namespaces. */
  mark: string;
  /** Ids by the preceding path segment, or by the operation. */
  ids: Record<string, string>;
}

type Owner = Pick<Tenant, 'person' | 'namespace' | 'mark'>;

const PASSPORT = '/passportsvc/api/v1';
const ITEMS = '/itemsvc/api/v1';
/** The `_sourceId` of each tenant's telemetry item. */
const SENSOR = 'sensor';
const SCIM = '/auth/realms/master/scim';
/** Other tests may keep the workers busy. */
const PATIENTLY = { timeoutMs: 50_000 };

/** @param reader gets READ on everything of the tenant */
export async function createTenant(administrator: string, reader?: Person): Promise<Tenant> {
  const mark = `mark${randomBytes(4).toString('hex')}`;
  const person = await enter();
  const request = { token: person.token, json: [{ _name: mark, _shortName: mark }] };
  const [workspace] = (await must(201, 'POST', `${PASSPORT}/workspaces`, request)).body._list;
  const owner = { person, mark, namespace: workspace._namespaces[0] as string };
  const parts = await Promise.all([
    createGroup(owner),
    createApp(owner),
    createFiles(owner),
    createItems(owner),
    createTelemetryConfig(owner),
    createRun(owner),
    createScimServer(owner, administrator),
    createReconciliation(owner),
  ]);
  const [group, app] = parts;
  const patterns: [string, string][] = [
    [owner.namespace, '*:*:*'],
    // Creating a group or owning an application grants nothing else there.
    [group.namespace, `passportsvc:usergroup:${group.ids.usergroups}`],
    [app.namespace, `passportsvc:app:${app.ids.apps}`],
  ];
  const somebody = reader ?? (await enter());
  const permission = await share(owner, patterns, somebody);
  const permissions: Record<string, string> = {};
  for (const service of WITH_PERMISSIONS)
    permissions[`permissions of ${service}`] = await share(owner, [[owner.namespace, `${service}:*:*`]], somebody);
  const query = { _name: 'USER_GROUP_INVITE' };
  const templates = await must(200, 'GET', `${PASSPORT}/notification_templates`, { token: person.token, query });
  const sessions = await must(200, 'GET', `${PASSPORT}/users/${person.id}/sessions`, { token: administrator });
  const keys = await must(200, 'GET', `${PASSPORT}/signing_keys`, { token: administrator });
  const ids = {
    sessions: sessions.body._list.find(({ _type }: { _type: string }) => _type === 'browser')._id,
    signing_keys: keys.body._list[0]._id,
    ...Object.assign({}, ...parts.map((part) => part.ids)),
    ...{ workspaces: workspace._id, users: person.id, Users: person.id, administrators: person.id },
    permissions: permission,
    permissionprofiles: await createPermissionProfile(person, owner.namespace, mark),
    ...permissions,
    notification_templates: templates.body._list[0]._id,
  } as Record<string, string>;
  return { ...owner, ids };
}

/** Waits for work that continues after the response. */
async function ended(token: string, path: string, query: Record<string, string>): Promise<void> {
  await eventually(async () => {
    const { body } = await must(200, 'GET', path, { token, query });
    const { _status } = Array.isArray(body) ? body[0] : body;
    if (['QUEUED', 'RUNNING', 'LOADING'].includes(_status)) throw new Error(`${path} is ${_status}`);
  }, PATIENTLY);
}

async function createFiles({ person: { token }, namespace, mark }: Owner) {
  const path = '/filesvc/api/v1/files';
  const query = { nsfilter: namespace };
  const body = new FormData();
  body.set('_namespaces', namespace);
  body.set('_tags', '#invgraphicsfile#');
  const image = `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><title>${mark}</title></svg>`;
  body.set('file', new Blob([image]), `${mark}.txt`);
  const [{ _fileVersion: first }] = (await must(201, 'POST', path, { token, query, body })).body;
  const [file] = (await must(201, 'POST', path, { token, query, body })).body;
  const folderQuery = { ...query, _name: `folder-${mark}`, _namespaces: namespace };
  const folder = await must(200, 'POST', path, { token, query: folderQuery });
  const json = { _name: mark, _uploadMeta: { _size: 5, _checksum: 'none' }, _namespaces: [namespace] };
  const upload = await must(201, 'POST', path, { token, query: { ...query, uploadType: 'resumable' }, json });
  await must(200, 'PUT', '/graphicssvc/api/v1/filestore', { token, query, json: [{ _fileId: file._id }] });
  await ended(token, `/graphicssvc/api/v1/filestore/${file._id}`, query);
  const previews = await previewOf(file._id, token, query);
  const fileSet = { _name: mark, _namespaces: [namespace], _fileIds: [file._id] };
  const { body: filesets } = await must(201, 'POST', '/graphicssvc/api/v1/filesets', { token, query, json: fileSet });
  const ids = {
    files: file._id,
    filestore: file._id,
    previews,
    fileVersion: file._fileVersion._id,
    versions: first._id,
  };
  return { ids: { ...ids, folder: folder.body._id, upload: upload.body._id, filesets: filesets._id as string } };
}

/** The id of a preview, as soon as there is one. */
const previewOf = (id: string, token: string, query: Record<string, string>): Promise<string> =>
  eventually(async () => {
    const { body } = await must(200, 'GET', `/filesvc/api/v1/files/${id}`, { token, query });
    if (body._previews.length === 0) throw new Error('The file has no previews.');
    return body._previews[0]._id as string;
  }, PATIENTLY);

async function createItems({ person: { token }, namespace, mark }: Owner) {
  const query = { nsfilter: namespace };
  const item = { _name: mark, _shortName: mark, _description: mark, _namespaces: [namespace], _userType: mark };
  const classes = [
    { _itemClass: 'NamedUserCollection' },
    { _itemClass: 'NamedCompositeItem', _version: { _userAttributes: {} } },
    { _itemClass: 'NamedTelemetryCollection' },
  ];
  const json = classes.map((one) => ({ ...item, ...one }));
  const created = await must(201, 'POST', `${ITEMS}/nameduseritems`, { token, query, json });
  const [{ _id }, composite, telemetry] = created.body._list;
  const below = (one: string, path: string, body: unknown) =>
    must(201, 'POST', `${ITEMS}/nameduseritems/${one}/${path}`, { token, query, json: body });
  const version = await below(_id, 'versions', {});
  const [row] = (await below(_id, 'relateditems', [{ secret: mark }])).body._list;
  await below(_id, 'indexes', [{ key: { secret: 1 }, options: { name: mark } }]);
  const [relation] = (await below(composite._id, 'relatedcollections', [{ _itemId: _id }])).body._list;
  const [sensor] = (await below(telemetry._id, 'relateditems', [{ _sourceId: SENSOR }])).body._list;
  await below(telemetry._id, 'relateditems/readings', [{ _ts: 0, _tsMetadata: { _sourceId: SENSOR }, secret: mark }]);
  const telemetryIds = { telemetryCollection: telemetry._id as string, telemetryItem: sensor._id as string };
  const ids = {
    ...{ nameduseritems: _id, itemVersion: version.body._id, composite: composite._id, indexes: mark },
    ...telemetryIds,
  };
  return { ids: { ...ids, relateditems: row._id as string, relatedcollections: relation._id as string } };
}

async function createTelemetryConfig({ person: { token }, namespace, mark }: Owner) {
  const query = { nsfilter: namespace };
  const bindings = [{ collectionDesc: { _userItemId: mark }, query: { deviceType: mark } }];
  const json = {
    ...{ _name: mark, _shortName: mark, _description: mark, _userType: mark, _namespaces: [namespace] },
    _configData: { _bindings: bindings, _normalizationScript: { _userType: mark } },
  };
  const accepted = await must(202, 'POST', `${ITEMS}/telemetryconfigs`, { token, query, json });
  const task = accepted.headers.get('location')!.split('/').at(-1)!;
  await ended(token, `${ITEMS}/asynctasks/${task}`, {});
  const [config] = (await must(200, 'GET', `${ITEMS}/telemetryconfigs`, { token, query })).body._list;
  // No binding matches them.
  const messages = [{ secret: mark }, { secret: mark }];
  const path = `${ITEMS}/telemetryconfigs/${config._id}`;
  const sent = await must(202, 'POST', `${path}/messages`, { token, query, json: messages });
  await ended(token, sent.headers.get('location')!, {});
  const [letter, other] = (await must(200, 'GET', `${path}/deadletters`, { token, query })).body._list;
  const letters = { deadletters: letter._id as string, otherLetter: other._id as string };
  return { ids: { telemetryconfigs: config._id, telemetry_async_tasks: task, asynctasks: task, ...letters } };
}

async function createRun({ person, namespace }: Owner) {
  const query = { nsfilter: namespace };
  const orchestrators = await createOrchestrator(person, namespace);
  const path = `/datasourcesvc/api/v1/orchestrators/${orchestrators}/run`;
  const orchrun = (await must(200, 'POST', path, { token: person.token, query, json: {} })).body.id;
  await ended(person.token, `/datasourcesvc/api/v1/orchrun/${orchrun}`, query);
  // Only trusted clients may name a call.
  return { ids: { orchestrators, orchrun, componentcalls: orchrun } };
}

async function createGroup({ person: { token }, mark }: Owner) {
  const json = [{ _name: mark, _shortName: mark }];
  const [group] = (await must(201, 'POST', `${PASSPORT}/usergroups`, { token, json })).body._list;
  const invited = { token, json: [{ _email: `${mark}@example.com` }] };
  const [invite] = (await must(201, 'POST', `${PASSPORT}/usergroups/${group._id}/invites`, invited)).body._list;
  return { namespace: group._namespaces[0] as string, ids: { usergroups: group._id, invites: invite._id } };
}

async function createApp({ person, mark }: Owner) {
  const json = { _name: mark, _appOwner: person.email, _redirectUris: dev.redirectUri, _orgId: dev.orgId };
  const { body } = await must(201, 'POST', `${PASSPORT}/apps`, { token: await trustedToken(), json });
  return { namespace: body._namespaces[0] as string, ids: { apps: body._id, consents: body._id } };
}

/** Its host never resolves, so deliveries fail. @param token of an administrator */
async function createScimServer({ person, mark }: Owner, token: string) {
  const url = `https://${mark}.invalid`;
  const server = { baseUrl: url, tokenUrl: url, clientId: mark, clientSecret: mark };
  const servers = (await must(201, 'POST', `${SCIM}/servers`, { token, json: server })).body.id;
  const json = { scimServerDetailId: servers, eventName: 'UPDATE', realmId: 'iam' };
  const listeners = (await must(201, 'POST', `${SCIM}/listeners`, { token, json })).body.id;
  const Operations = [{ op: 'replace', path: 'displayName', value: mark }];
  const patch = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations };
  await must(200, 'PATCH', `${PASSPORT}/scim/Users/${person.id}`, { token, json: patch });
  const deliveries = await eventually(async () => {
    const query = { scimServerDetailId: servers as string };
    const [delivery] = (await must(200, 'GET', `${SCIM}/deliveries`, { token, query })).body._list;
    return delivery.id as string;
  }, PATIENTLY);
  return { ids: { servers, listeners, deliveries } };
}

async function createReconciliation({ namespace }: Owner) {
  const request = { token: await trustedToken(), json: { _namespace: namespace } };
  const { body } = await must(202, 'POST', '/metricsvc/api/v1/reconciliations', request);
  return { ids: { reconciliations: body._id as string } };
}

/** Services that expose the permissions on their own resources. */
const WITH_PERMISSIONS = ['filesvc', 'itemsvc', 'datasourcesvc', 'graphicssvc', 'passportsvc'];

/** Grants read access to these. Returns the permission in the tenant's own namespace. */
async function share({ person }: Owner, patterns: [namespace: string, irn: string][], reader: Person): Promise<string> {
  const permissions: string[] = [];
  for (const [namespace, irn] of patterns)
    permissions.push(await grant(person, reader, { namespace, irn, actions: ['READ'] }));
  return permissions[0]!;
}

import { randomBytes } from 'node:crypto';
import { send, type RouteResponse, type Request, type ServiceName } from './platform.js';
import type { Person } from './people.js';

/** A resource of one service in a namespace, and how to read it. */
export interface Resource {
  service: ServiceName;
  /** A path that is a 200 for a reader and a 404 for others. */
  path: string;
  /** The list that contains it for readers only. */
  list?: string;
  id: string;
  query: Record<string, string>;
}

/** Creates one resource in each service that stores any. Workspaces and permissions come with the namespace. */
export async function fillNamespace(owner: Person, namespace: string): Promise<Resource[]> {
  const file = await uploadFile(owner, namespace, { tags: '#invgraphicsfile#' });
  const item = await createItem(owner, namespace);
  const orchestrator = await createOrchestrator(owner, namespace);
  const query = { nsfilter: namespace };
  const filestore = '/graphicssvc/api/v1/filestore';
  await must(200, 'PUT', filestore, { token: owner.token, query, json: [{ _fileId: file }] });
  const files = '/filesvc/api/v1/files';
  const items = '/itemsvc/api/v1/nameduseritems';
  const orchestrators = '/datasourcesvc/api/v1/orchestrators';
  return [
    { service: 'filesvc', id: file, path: `${files}/${file}`, list: files, query },
    { service: 'itemsvc', id: item, path: `${items}/${item}`, list: items, query },
    {
      service: 'datasourcesvc',
      id: orchestrator,
      path: `${orchestrators}/${orchestrator}`,
      list: orchestrators,
      query,
    },
    { service: 'graphicssvc', id: file, path: `${filestore}/${file}`, query },
  ];
}

export async function uploadFile(
  owner: Person,
  namespace: string,
  { content = 'hello', tags, also = [] }: { content?: string; tags?: string; also?: string[] } = {},
): Promise<string> {
  const body = new FormData();
  body.set('_namespaces', [namespace, ...also].join());
  if (tags !== undefined) body.set('_tags', tags);
  body.set('file', new Blob([content]), `${unique()}.txt`);
  const request = { token: owner.token, query: { nsfilter: namespace }, body };
  const response = await must(201, 'POST', '/filesvc/api/v1/files', request);
  return response.body[0]._id as string;
}

export async function createItem(owner: Person, namespace: string, more: object = {}): Promise<string> {
  const item = {
    _name: 'Rooms',
    _shortName: unique(),
    _description: '',
    _namespaces: [namespace],
    _userType: 'rooms',
    _itemClass: 'NamedUserCollection',
    ...more,
  };
  const request = { token: owner.token, query: { nsfilter: namespace }, json: [item] };
  const response = await must(201, 'POST', '/itemsvc/api/v1/nameduseritems', request);
  return response.body._list[0]._id as string;
}

const WAIT = { _orchcomp: 'wait', _sequenceno: 1, _name: 'wait', _actualparams: { ms: 1 } };

export async function createOrchestrator(
  owner: Person,
  namespace: string,
  tasks: object[] = [WAIT],
  more: object = {},
): Promise<string> {
  const json = { _name: unique(), _namespaces: [namespace], _params: { tasks }, ...more };
  const request = { token: owner.token, query: { nsfilter: namespace }, json };
  const response = await must(200, 'POST', '/datasourcesvc/api/v1/orchestrators', request);
  return response.body.id as string;
}

export async function createPermissionProfile(owner: Person, namespace: string, name = unique()): Promise<string> {
  const request = { token: owner.token, json: [{ _name: name, _namespaces: [namespace] }] };
  const response = await must(201, 'POST', '/passportsvc/api/v1/permissionprofiles', request);
  return response.body._list[0]._id as string;
}

/** Grants a subject actions on a pattern of resources. Returns the permission's id. */
export async function grant(
  owner: Person,
  to: Pick<Person, 'id'>,
  { namespace, irn, actions, type = 'user' }: { namespace: string; irn: string; actions: string[]; type?: string },
): Promise<string> {
  const user = { _type: type, _id: to.id };
  const json = [{ _namespace: namespace, _resourceDesc: { _irn: irn }, _user: user, _actions: actions }];
  const response = await must(200, 'PUT', '/objectmodelsvc/api/v1/permissions', { token: owner.token, json });
  if (response.body._list._failures.length > 0) throw new Error(JSON.stringify(response.body._list._failures));
  return response.body._list._success[0]._id as string;
}

/** Sends a request of a test's setup, which must succeed. */
export async function must(status: number, method: string, path: string, request: Request): Promise<RouteResponse> {
  const response = await send(method, path, request);
  if (response.status === status) return response;
  throw new Error(`${method} ${path} answered ${response.status}, not ${status}: ${JSON.stringify(response.body)}`);
}

const unique = (): string => `e2e_${randomBytes(5).toString('hex')}`;

import { randomBytes } from 'node:crypto';
import { type DevJson, until } from '@dtplatform/stack';
import {
  clientCredentials,
  FILES,
  FILESTORE,
  ITEMS,
  METRICS,
  ORCHESTRATORS,
  type Page,
  PERMISSIONS,
} from '@dtplatform/stack/client';
import type { Ledger } from './ledger.js';
import type { LoadUser } from './load-user.js';

/** One or two requests, as a client of one service would send them. */
export type Action = readonly [name: string, work: () => Promise<void>];

const SMALL_BYTES = 32 * 1024;
const READ_AGAIN = 50;
const LOAD_TIMEOUT_MS = 30_000;

/** Reads and writes on all seven services. The ledger records acknowledged writes. */
export function createActions(dev: DevJson, { id: userId, caller, namespace }: LoadUser, ledger: Ledger): Action[] {
  const query = { nsfilter: namespace };
  const files: string[] = [];
  const items: string[] = [];
  const remember = (ids: string[], id: string) => {
    if (ids.unshift(id) > READ_AGAIN) ids.pop();
  };
  const anyOf = (ids: string[]) => ids[Math.floor(Math.random() * ids.length)];

  const getToken = async () => void (await clientCredentials(dev));
  const listWorkspaces = async () => void (await caller.call('GET', '/passportsvc/api/v1/workspaces'));
  const listPermissions = async () => {
    const user = { '_user._type': 'user', '_user._id': userId };
    const search = { _namespace: namespace, '_resourceDesc._irn': '*:*:*', ...user, patternmatch: false };
    await caller.call('GET', PERMISSIONS, { query: search });
  };
  const putFile = async () => {
    const content = randomBytes(SMALL_BYTES);
    const body = new FormData();
    body.set('_namespaces', namespace);
    body.set('file', new Blob([content]), `${unique()}.bin`);
    const reply = await caller.call<{ _id: string }[]>('POST', FILES, { query, body, expect: 201 });
    ledger.file(reply.body[0]!._id, content);
    remember(files, reply.body[0]!._id);
  };
  const getFile = async () => {
    const id = anyOf(files);
    if (id === undefined) return putFile();
    const response = await caller.open('GET', `${FILES}/${id}/content`, { query });
    await response.arrayBuffer();
  };
  const putItem = async () => {
    const item = {
      ...{ _name: 'Load', _shortName: unique(), _description: '', _namespaces: [namespace], _userType: 'load' },
      _itemClass: 'NamedUserCollection',
    };
    const reply = await caller.call<Page<{ _id: string }>>('POST', ITEMS, { query, json: [item], expect: 201 });
    ledger.item(reply.body._list[0]!._id);
    remember(items, reply.body._list[0]!._id);
  };
  const getItem = async () => {
    const id = anyOf(items);
    if (id === undefined) return putItem();
    await caller.call('GET', `${ITEMS}/${id}`, { query });
  };
  const listItems = async () => void (await caller.call('GET', ITEMS, { query }));
  const readGraphics = createGraphicsReader(caller, namespace);
  const readMetric = async () => {
    await caller.call('GET', `${METRICS}/dtplatform.filesvc.FileCount`, { query: { namespace } });
  };
  const startRun = createRunner(caller, namespace, ledger);

  return Object.entries({
    ...{ getToken, putFile, getFile, putItem, getItem, listItems, listWorkspaces, listPermissions },
    ...{ readGraphics, readMetric, startRun },
  });
}

/** Reads an entry of the graphics file store; the first call loads it. */
function createGraphicsReader(caller: LoadUser['caller'], namespace: string) {
  const query = { nsfilter: namespace };
  const load = async () => {
    const body = new FormData();
    body.set('_namespaces', namespace);
    body.set('_tags', '#invgraphicsfile#');
    body.set('file', new Blob(['graphics']), `${unique()}.txt`);
    const { body: stored } = await caller.call<{ _id: string }[]>('POST', FILES, { query, body, expect: 201 });
    const path = `/graphicssvc/api/v1/filestore/${stored[0]!._id}`;
    await caller.call('PUT', FILESTORE, { query, json: [{ _fileId: stored[0]!._id }] });
    const isLoaded = () => caller.call('GET', path, { query }).then(...yesOrNo);
    await until('a graphics file is loaded', isLoaded, { timeoutMs: LOAD_TIMEOUT_MS, everyMs: 200 });
    return path;
  };
  const loaded = once(load);
  return async () => void (await caller.call('GET', await loaded(), { query }));
}

/** Runs an orchestrator with one short step; the first call creates it. */
function createRunner(caller: LoadUser['caller'], namespace: string, ledger: Ledger) {
  const query = { nsfilter: namespace };
  const orchestrator = once(async () => {
    const tasks = [{ _orchcomp: 'wait', _sequenceno: 1, _name: 'wait', _actualparams: { ms: 20 } }];
    const json = { _name: unique(), _namespaces: [namespace], _params: { tasks } };
    return (await caller.call<{ id: string }>('POST', ORCHESTRATORS, { query, json })).body.id;
  });
  return async () => {
    const path = `${ORCHESTRATORS}/${await orchestrator()}/run`;
    const { body } = await caller.call<{ id: string }>('POST', path, { query });
    ledger.run(body.id);
  };
}

const yesOrNo = [() => true, () => false] as const;

/** Remembers the result of a successful call; retries a failed one. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () =>
    (result ??= work().catch((error: unknown) => {
      result = undefined;
      throw error;
    }));
}

const unique = (): string => `load_${randomBytes(5).toString('hex')}`;

import { randomBytes } from 'node:crypto';
import type { DevJson } from '@dtplatform/stack';
import { clientCredentials, FILES, ITEMS, METRICS, type Page, PERMISSIONS } from '@dtplatform/stack/client';
import { createOrchestrator, loadGraphics, startRun as start, storeFile } from './data.js';
import type { Ledger } from './ledger.js';
import type { LoadUser } from './load-user.js';

/** One or two requests, as a client of one service would send them. */
export type Action = readonly [name: string, work: () => Promise<void>];

const SMALL_BYTES = 32 * 1024;
const READ_AGAIN = 50;
const STEP_MS = 20;

/** Reads and writes on all seven services. The ledger records acknowledged writes. */
export function createActions(dev: DevJson, user: LoadUser, ledger: Ledger): Action[] {
  const { id: userId, caller, namespace } = user;
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
    const ofUser = { '_user._type': 'user', '_user._id': userId };
    const search = { _namespace: namespace, '_resourceDesc._irn': '*:*:*', ...ofUser, patternmatch: false };
    await caller.call('GET', PERMISSIONS, { query: search });
  };
  const putFile = async () => {
    const content = randomBytes(SMALL_BYTES);
    const id = await storeFile(user, content);
    ledger.file(id, content);
    remember(files, id);
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
  const graphics = once(() => loadGraphics(user, 'graphics'));
  const readGraphics = async () =>
    void (await caller.call('GET', `/graphicssvc/api/v1/filestore/${await graphics()}`, { query }));
  const readMetric = async () => {
    await caller.call('GET', `${METRICS}/dtplatform.filesvc.FileCount`, { query: { namespace } });
  };
  const orchestrator = once(() => createOrchestrator(user, STEP_MS));
  const startRun = async () => ledger.run(await start(user, (await orchestrator()).id));

  return Object.entries({
    ...{ getToken, putFile, getFile, putItem, getItem, listItems, listWorkspaces, listPermissions },
    ...{ readGraphics, readMetric, startRun },
  });
}

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

import { randomBytes } from 'node:crypto';
import { seededNumbers } from '@dtplatform/testing';
import type { Person } from './people.js';
import { sendTo, type RouteResponse } from './platform.js';

const ITEMS = '/itemsvc/api/v1/nameduseritems';
const FILES = '/filesvc/api/v1/files';
const CLASSES = [
  ...['NamedUserCollection', 'NamedFileCollection', 'NamedTelemetryCollection'],
  ...['NamedCompositeItem', 'Script', 'UserConfig'],
];

interface Known {
  _id: string;
  _tipId: string;
  _itemClass: string;
  _namespaces: string[];
}

interface Options {
  baseUrl: string;
  user: Person;
  namespaces: string[];
  seed: number;
}

/**
 * Operations on files and items in namespaces, chosen by a seed. Some are rejected, for example the deletion of the
 * only version: only the final state matters.
 */
export function randomOperations({ baseUrl, user, namespaces, seed }: Options) {
  const random = seededNumbers(seed);
  const pick = <T>(values: readonly T[]): T | undefined => values[random(values.length || 1)];
  const items: Known[] = [];
  const files: { _id: string; namespace: string }[] = [];
  let operations = 0;

  const send = (method: string, path: string, nsfilter: string, more: { json?: unknown; body?: FormData } = {}) =>
    sendTo(baseUrl, method, path, { token: user.token, query: { nsfilter }, ...more });
  const ofItem = (item: Known, method: string, path: string, json?: unknown): Promise<RouteResponse> =>
    send(method, `${ITEMS}/${item._id}${path}`, item._namespaces[0]!, json === undefined ? {} : { json });
  const text = () => 'x'.repeat(random(500));
  const someNamespaces = () => (random(3) === 0 ? namespaces : [pick(namespaces)!]);

  async function createItem(): Promise<void> {
    const _namespaces = someNamespaces();
    const item = { _name: 'R', _shortName: `r_${randomBytes(6).toString('hex')}`, _description: '', _userType: 'r' };
    const _version = { _userAttributes: { text: text() } };
    const json = [{ ...item, _namespaces, _itemClass: pick(CLASSES), _version }];
    const { body } = await send('POST', ITEMS, _namespaces[0]!, { json });
    if (body._list?.[0]) items.push(body._list[0] as Known);
  }

  async function createFile(name = randomBytes(6).toString('hex'), namespace = pick(namespaces)!): Promise<void> {
    const body = new FormData();
    body.set('_namespaces', namespace);
    if (random(3) === 0) body.set('_tags', '#invgraphicsfile#');
    body.set('file', new Blob([text()]), `${name}.txt`);
    const response = await send('POST', FILES, namespace, { body });
    if (response.status === 201) files.push({ _id: response.body[0]._id as string, namespace });
  }

  const changes: ((item: Known) => Promise<unknown>)[] = [
    async (item) => {
      const { status, body } = await ofItem(item, 'POST', '/versions', { _userAttributes: { text: text() } });
      if (status === 201) item._tipId = body._id as string;
    },
    (item) => ofItem(item, 'PUT', `/versions/${item._tipId}`, { _userAttributes: { changed: text() } }),
    (item) => ofItem(item, 'DELETE', `/versions/${item._tipId}`),
    (item) => ofItem(item, 'POST', '/relateditems', [{ _sourceId: 's', text: text() }, { _sourceId: 't' }]),
    (item) => ofItem(item, 'POST', '/relatedcollections', [{ _itemId: pick(items)!._id }]),
    (item) =>
      ofItem(item, 'POST', '/relateditems/readings', [{ _ts: Date.now(), _tsMetadata: { _sourceId: 's' }, v: 1 }]),
    async (item) => {
      const _namespaces = someNamespaces();
      const json = { _name: 'Moved', _description: '', _userType: 'r', _namespaces };
      const { status } = await send('PUT', `${ITEMS}/${item._id}`, _namespaces[0]!, { json });
      if (status === 204) item._namespaces = _namespaces;
    },
    (item) => (random(2) === 0 ? ofItem(item, 'DELETE', '') : Promise.resolve()),
  ];

  async function changeFile(): Promise<void> {
    const file = pick(files);
    if (!file) return;
    const _tags = random(2) === 0 ? ['#invgraphicsfile#'] : [];
    const json = { _name: `${randomBytes(6).toString('hex')}.txt`, _tags };
    if (random(3) === 0) await send('DELETE', `${FILES}/${file._id}`, file.namespace);
    else await send('PUT', `${FILES}/${file._id}`, file.namespace, { json });
  }

  async function operate(): Promise<void> {
    const item = pick(items);
    const kind = random(8);
    // A taken name creates another version.
    if (kind === 0) await createFile(`file-${random(6)}`);
    else if (kind === 1) await changeFile();
    else if (kind === 2 || !item) await createItem();
    else await pick(changes)!(item);
  }

  return {
    createItem,
    createFile,
    /** The number of finished operations. */
    count: () => operations,
    async run(until: AbortSignal): Promise<void> {
      for (; !until.aborted; operations++) await operate();
    },
  };
}

import { paginate, waitForTask } from '@dtplatform/sdk';
import type { EntryOf, Output } from '@dtplatform/sdk';
import { askName, confirmLoss } from './dialog.js';
import { copy, find, write } from './dom.js';
import { createPages } from './pages.js';
import { attempt } from './problems.js';
import { hashOf } from './screens.js';
import type { Visit } from './screens.js';
import { createTable } from './table.js';

/** The classes of named items that contain other items. */
const COLLECTIONS = { _itemClass: { $in: ['NamedUserCollection', 'NamedFileCollection', 'NamedTelemetryCollection'] } };

const screen = find('#items', HTMLElement);
const links = find('#collections', HTMLElement);
const collection = find('#collection', HTMLElement);
const form = find('form', HTMLFormElement, collection);
const query = find('textarea', HTMLTextAreaElement, form);
const problem = find('#query-problem', HTMLElement);

const showCollections = createPages(find('nav', HTMLElement, screen));
const showResults = createPages(find('.results', HTMLElement, collection));

export async function showItems(visit: Visit): Promise<void> {
  const { id } = visit;
  find('#new-collection', HTMLButtonElement).onclick = () => void attempt(() => createCollection(visit));
  collection.hidden = id === undefined;
  find('#choose', HTMLElement).hidden = id !== undefined;
  await Promise.all([listCollections(visit), id === undefined ? undefined : openCollection(visit, id)]);
}

async function listCollections({ client, namespace, id, signal }: Visit): Promise<void> {
  links.replaceChildren();
  const show = ({ _id, _name, _userType }: EntryOf<'itemsvc.items.list'>) => {
    const row = copy('#collection-row');
    const link = find('a', HTMLAnchorElement, row);
    link.href = hashOf({ namespace, screen: 'items', id: _id });
    link.ariaCurrent = _id === id ? 'true' : null;
    write(row, { strong: _name, small: _userType });
    links.append(row);
  };
  const conditions = { query: JSON.stringify(COLLECTIONS) };
  const load = (signal: AbortSignal) => paginate(client, 'itemsvc.items.list', { query: conditions, signal });
  await showCollections(load, show, signal);
}

async function openCollection(visit: Visit, id: string): Promise<void> {
  const { client, signal } = visit;
  query.value = '{}';
  form.onsubmit = (event) => {
    event.preventDefault();
    void runQuery(visit, id);
  };
  const item = await client.call('itemsvc.items.get', { path: { id }, signal });
  write(collection, { h2: item._name, '.description': item._description });
  find('.rename', HTMLButtonElement, collection).onclick = () => void attempt(() => rename(id, item, visit));
  find('.delete', HTMLButtonElement, collection).onclick = () => void attempt(() => remove(id, item, visit));
  await runQuery(visit, id);
}

type Item = Output<'itemsvc.items.get'>;

async function createCollection({ client, namespace, signal }: Visit): Promise<void> {
  const name = await askName('New collection', signal);
  if (name === undefined) return;
  const item = { _name: name, _shortName: name.slice(0, 20), _description: '', _namespaces: [namespace] };
  const body = [{ ...item, _itemClass: 'NamedUserCollection' as const, _userType: 'collection' }];
  const { _list } = await client.call('itemsvc.items.create', { body, signal });
  location.hash = hashOf({ namespace, screen: 'items', id: _list[0]!._id });
}

async function rename(id: string, item: Item, visit: Visit): Promise<void> {
  const { _name = '', _description = '', _namespaces = [visit.namespace], _userType = '' } = item;
  const name = await askName(`New name of ${_name}`, visit.signal, _name);
  if (name === undefined || name === _name) return;
  const body = { _name: name, _description, _namespaces, _userType };
  await visit.client.call('itemsvc.items.update', { path: { id }, body, signal: visit.signal });
  await showItems(visit);
}

async function remove(id: string, { _name = '' }: Item, { client, namespace, signal }: Visit): Promise<void> {
  if (!(await confirmLoss(`Delete ${_name} with all its items?`, signal))) return;
  const reply = await client.send('itemsvc.items.delete', { path: { id }, signal });
  if (reply.status === 202) await waitForTask(client, reply, { signal });
  location.hash = hashOf({ namespace, screen: 'items' });
}

/** Queries items with the user's conditions, as JSON. The platform reports their errors. */
async function runQuery({ client, signal }: Visit, id: string): Promise<void> {
  const table = createTable(find('table', HTMLTableElement, collection));
  const conditions = { query: query.value.trim() || '{}' };
  const load = (signal: AbortSignal) =>
    paginate(client, 'itemsvc.relatedItems.list', { path: { id }, query: conditions, signal });
  await attempt(() => showResults(load, table.add, signal), problem);
  query.ariaInvalid = problem.textContent === '' ? null : 'true';
}

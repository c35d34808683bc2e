import { paginate, waitForTask } from '@dtplatform/sdk';
import type { Client, Schemas } from '@dtplatform/sdk';
import { askName, confirmLoss } from './dialog.js';
import { copy, find, write } from './dom.js';
import { dateOf, sizeOf } from './format.js';
import { createPages } from './pages.js';
import { attempt } from './problems.js';
import { hashOf } from './screens.js';
import type { Visit } from './screens.js';
import { addUpload } from './uploads.js';

const screen = find('#files', HTMLElement);
const rows = find('tbody', HTMLTableSectionElement, screen);
const picker = find('#picker', HTMLInputElement);
const showPages = createPages(screen);

export async function showFiles(visit: Visit): Promise<void> {
  const { client, namespace, id: folder, signal } = visit;
  picker.onchange = () => {
    const onDone = () => void (signal.aborted || attempt(() => listFiles(visit)));
    for (const file of picker.files ?? []) addUpload(file, { client, namespace, folder, onDone });
    picker.value = '';
  };
  find('#new-folder', HTMLButtonElement).onclick = () => void attempt(() => createFolder(visit));
  await Promise.all([showFolder(visit), listFiles(visit)]);
}

async function showFolder({ client, namespace, id, signal }: Visit): Promise<void> {
  const up = find('#up', HTMLAnchorElement);
  up.hidden = id === undefined;
  write(screen, { h1: 'Files' });
  if (id === undefined) return;
  const folder = await client.call('filesvc.files.get', { path: { id }, signal });
  write(screen, { h1: folder._name });
  up.href = hashOf({ namespace, screen: 'files', id: folder._parents[0] });
}

async function listFiles({ client, namespace, id, signal }: Visit): Promise<void> {
  rows.replaceChildren();
  const load = (signal: AbortSignal) =>
    id === undefined
      ? paginate(client, 'filesvc.files.list', { query: { _parents: 'root' }, signal })
      : paginate(client, 'filesvc.files.children', { path: { id }, signal });
  await showPages(load, (file) => rows.append(rowOf(file, { client, namespace, id, signal })), signal);
}

type Entry = Schemas['File'];

function rowOf(file: Entry, visit: Visit): HTMLElement {
  const row = file._type === 'dir' ? folderRow(file, visit.namespace) : fileRow(file, visit.client);
  const offer = (name: string, work: () => Promise<void>) => {
    const button = find(`.${name.toLowerCase()}`, HTMLButtonElement, row);
    button.ariaLabel = `${name} ${file._name}`;
    button.onclick = () => void attempt(work);
  };
  offer('Rename', () => rename(file, visit));
  offer('Delete', () => remove(file, visit));
  return row;
}

function folderRow(folder: Entry, namespace: string): HTMLElement {
  const row = copy('#folder-row');
  write(row, { a: folder._name });
  find('a', HTMLAnchorElement, row).href = hashOf({ namespace, screen: 'files', id: folder._id });
  return row;
}

function fileRow(file: Entry, client: Client): HTMLElement {
  const row = copy('#file-row');
  const size = file._fileVersion?._fileSize;
  write(row, {
    '.name': file._name,
    '.size': size === undefined ? 'not complete' : sizeOf(size),
    '.date': dateOf(file._metadata._updatedAt),
  });
  const button = find('.download', HTMLButtonElement, row);
  button.hidden = size === undefined;
  button.ariaLabel = `Download ${file._name}`;
  button.onclick = () => void attempt(() => download(client, file._id));
  return row;
}

async function createFolder(visit: Visit): Promise<void> {
  const { client, namespace, id, signal } = visit;
  const name = await askName('New folder', signal);
  if (name === undefined) return;
  const query = { _name: name, _namespaces: namespace, _parents: id };
  await client.call('filesvc.uploads.initiate', { query, signal });
  await listFiles(visit);
}

async function rename(file: Entry, visit: Visit): Promise<void> {
  const name = await askName(`New name of ${file._name}`, visit.signal, file._name);
  if (name === undefined || name === file._name) return;
  const body = { _name: name, _tags: file._tags };
  await visit.client.call('filesvc.files.update', { path: { id: file._id }, body, signal: visit.signal });
  await listFiles(visit);
}

async function remove(file: Entry, visit: Visit): Promise<void> {
  const { client, signal } = visit;
  const loss = file._type === 'dir' ? 'with everything in it' : 'with all its versions';
  if (!(await confirmLoss(`Delete ${file._name} ${loss}?`, signal))) return;
  const reply = await client.send('filesvc.files.deleteMany', { query: { _ids: [file._id] }, signal });
  // Large folders are deleted in the background.
  if (reply.status === 202) await waitForTask(client, reply, { signal });
  await listFiles(visit);
}

/** The browser downloads directly from the object store, with a temporary URL. */
async function download(client: Client, id: string): Promise<void> {
  const { _url } = await client.call('filesvc.content.url', { path: { id } });
  location.assign(_url);
}

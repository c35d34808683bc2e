import { paginate } from '@dtplatform/sdk';
import type { Client, Schemas } from '@dtplatform/sdk';
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
  await showPages(load, (file) => rows.append(rowOf(file, client, namespace)), signal);
}

function rowOf(file: Schemas['File'], client: Client, namespace: string): HTMLElement {
  if (file._type === 'dir') {
    const row = copy('#folder-row');
    write(row, { a: file._name });
    find('a', HTMLAnchorElement, row).href = hashOf({ namespace, screen: 'files', id: file._id });
    return row;
  }
  const row = copy('#file-row');
  const size = file._fileVersion?._fileSize;
  write(row, {
    '.name': file._name,
    '.size': size === undefined ? 'not complete' : sizeOf(size),
    '.date': dateOf(file._metadata._updatedAt),
  });
  const button = find('button', HTMLButtonElement, row);
  button.hidden = size === undefined;
  button.ariaLabel = `Download ${file._name}`;
  button.onclick = () => void attempt(() => download(client, file._id));
  return row;
}

/** The browser downloads directly from the object store, with a temporary URL. */
async function download(client: Client, id: string): Promise<void> {
  const { _url } = await client.call('filesvc.content.url', { path: { id } });
  location.assign(_url);
}

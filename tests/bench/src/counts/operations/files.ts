import { FILES } from '@dtplatform/stack/client';
import { WebSocket } from 'undici';
import { createFileSet, loadGraphics, type Workspace } from '../../callers/index.js';
import { uploadByForm } from '../../load/upload-by-form.js';
import { uploadByPatches } from '../../load/upload-by-patches.js';
import { inTurn, makeMany, type Operation, PARENTS, type Place, unique } from './operation.js';

const BYTES = 10_000;

interface Folder {
  _id: string;
  _name: string;
}

const createFolder = async ({ caller, namespace }: Workspace, parent = 'root'): Promise<Folder> => {
  const query = { nsfilter: namespace, _namespaces: namespace, _name: unique(), _parents: parent };
  return (await caller.call<Folder>('POST', FILES, { query })).body;
};

const targetIn = ({ dev, caller, namespace }: Place, { _id: parent }: Folder) => ({
  ...{ url: dev.baseUrl, token: caller.token!, namespace, parent },
});

const createSet = async (place: Workspace): Promise<string> =>
  createFileSet(place, await loadGraphics(place, Buffer.alloc(BYTES, unique())));

/** Opens a stream of a file set, and closes it. */
async function openStream({ dev, caller, namespace }: Place, fileSetId: string): Promise<void> {
  const url = new URL('/graphicssvc/api/v1/stream', dev.baseUrl.replace('http', 'ws'));
  const socket = new WebSocket(url, ['dtplatform.v1', `bearer.${caller.token}`]);
  const ended = new Promise((resolve) => socket.addEventListener('close', resolve));
  const answer = new Promise<string>((resolve, reject) => {
    socket.addEventListener('message', ({ data }) => resolve(String(data)));
    void ended.then(() => reject(new Error('the stream was closed')));
  });
  answer.catch(() => undefined);
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  socket.send(JSON.stringify({ requestId: 1, type: 'open', fileSetId, nsfilter: namespace }));
  const { type } = JSON.parse(await answer) as { type: string };
  if (type !== 'opened') throw new Error(`the stream answered ${type}`);
  socket.close();
  await ended;
}

export const fileOperations: Operation[] = [
  {
    ...{ name: 'file-by-form', service: 'filesvc', about: '10 kB in a multipart form' },
    prepare: async (place) => {
      const folders = await makeMany(PARENTS, () => createFolder(place));
      return (n) => uploadByForm({ kind: 'form', ...targetIn(place, inTurn(folders, n)) }, BYTES);
    },
  },
  {
    ...{ name: 'file-resumable', service: 'filesvc', about: '10 kB by POST and one PATCH' },
    prepare: async (place) => {
      const folders = await makeMany(PARENTS, () => createFolder(place));
      return (n) =>
        uploadByPatches({ kind: 'patches', ...targetIn(place, inTurn(folders, n)), patchBytes: BYTES }, BYTES);
    },
  },
  {
    ...{ name: 'folder-moved', service: 'filesvc', about: 'a folder with two folders in it goes to another folder' },
    prepare: async (place) => {
      const targets = await makeMany(PARENTS, () => createFolder(place));
      const moved = await makeMany(PARENTS, () => createFolder(place));
      for (const folder of moved) await makeMany(2, () => createFolder(place, folder._id));
      return async (n) => {
        // A different place each time.
        const to = inTurn(targets, n + Math.floor(n / PARENTS));
        const { _id, _name } = inTurn(moved, n);
        const call = { query: { nsfilter: place.namespace }, json: { _name, _parents: [to._id] } };
        await place.caller.call('PUT', `${FILES}/${_id}`, call);
      };
    },
  },
  {
    ...{ name: 'file-set-load', service: 'graphicssvc', about: 'a graphics file is stored, loaded and put into a set' },
    prepare: async (place) => async () => void (await createSet(place)),
  },
  {
    ...{ name: 'stream-opened', service: 'graphicssvc' },
    prepare: async (place) => {
      const fileSet = await createSet(place);
      return () => openStream(place, fileSet);
    },
  },
];

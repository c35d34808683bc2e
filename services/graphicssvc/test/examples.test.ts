import { afterAll, expect, it } from '@jest/globals';
import { keepExamples, startPermissionStandIn, withHeaders } from '@dtplatform/testing';
import { FILESETS, FILESTORE, startApp } from './start-app.js';
import { openStream } from './stream-client.js';

const examples = keepExamples(new URL('../', import.meta.url));

const permissions = await startPermissionStandIn('graphicssvc:fileset:*', 'tower_1');
const app = withHeaders(await startApp(permissions.environment));
await app.startWorker();
const olga = { authorization: await app.as('olga') };
afterAll(async () => {
  await app.stop();
  await permissions.stop();
});

/** One story of all operations that respond with JSON, and all messages of the stream. */
it('keeps the examples of the API reference', async () => {
  const loaded = app.files.add();
  const other = app.files.add();
  examples.keep('filestore.load', await app.put(olga, [{ _fileId: loaded.id }]).expect(200));
  await app.untilStatus(olga, loaded.id, 'LOADED');
  const state = app.api.get(`${FILESTORE}/${loaded.id}`).query({ nsfilter: 'tower_1' });
  examples.keep('filestore.get', await state.set(olga).expect(200));

  const set = { _name: 'Tower', _namespaces: ['tower_1'], _fileIds: [loaded.id, other.id] };
  const created = await app.api.post(FILESETS).query({ nsfilter: 'tower_1' }).set(olga).send(set).expect(201);
  examples.keep('filesets.create', created);
  const get = (path: string, query: object = { nsfilter: 'tower_1' }) => app.api.get(path).query(query).set(olga);
  examples.keep('filesets.list', await get(FILESETS, { nsfilter: 'tower_1', _pageSize: '10' }).expect(200));
  const { _id: fileSetId } = created.body as { _id: string };
  examples.keep('filesets.get', await get(`${FILESETS}/${fileSetId}`).expect(200));

  const path = '/graphicssvc/api/v1/permissions';
  examples.keep('permissions.put', await app.api.put(path).set(olga).send([permissions.entry]).expect(200));
  examples.keep('permissions.list', await get(path, permissions.query).expect(200));

  await keepMessages(fileSetId, loaded.id);
  const { kept, stored } = examples.end();
  expect(kept).toEqual(stored);
});

/** A session in which a viewer opens a set, reads a file to its end, and gives up another read. */
async function keepMessages(fileSetId: string, fileId: string): Promise<void> {
  const stream = await openStream(app.url, olga);
  const frames: Buffer[] = [];
  stream.socket.on('message', (data: Buffer, isBinary) => isBinary && frames.push(data));
  const send = (name: string, message: { type: string; requestId: number; [field: string]: unknown }) => {
    examples.keepMessage(name, message);
    stream.send(message);
  };

  send('OpenFileSet', { type: 'open', requestId: 1, fileSetId, nsfilter: 'tower_1' });
  examples.keepMessage('Opened', await stream.until(1, 'opened'));
  send('ReadFile', { type: 'read', requestId: 2, fileId, offset: 2, length: 5 });
  examples.keepMessage('Header', await stream.until(2, 'header'));
  examples.keepMessage('End', await stream.until(2, 'end'));
  examples.keepMessage('Bytes', hexadecimal(frames[0]!));
  stream.send({ type: 'read', requestId: 3, fileId });
  send('CancelRead', { type: 'cancel', requestId: 3 });
  examples.keepMessage('Failure', await stream.until(3, 'error'));
  stream.close();
}

const hexadecimal = (bytes: Buffer) => bytes.toString('hex').match(/../g)!.join(' ');

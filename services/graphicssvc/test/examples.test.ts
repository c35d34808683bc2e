import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { missingInSchema } from '@dtplatform/openapi';
import { keepExamples, startPermissionStandIn, withHeaders } from '@dtplatform/testing';
import { createAsyncApi } from '../src/app.js';
import { FILESETS, FILESTORE, startApp } from './start-app.js';
import type { Headers, TestApp } from './start-app.js';
import { openStream } from './stream-client.js';

let app: TestApp;
let olga: Headers;
let permissions: Awaited<ReturnType<typeof startPermissionStandIn>>;
const examples = keepExamples(new URL('../', import.meta.url));

beforeAll(async () => {
  permissions = await startPermissionStandIn('graphicssvc:fileset:*', 'tower_1');
  app = withHeaders(await startApp(permissions.environment));
  await app.startWorker();
  olga = { authorization: await app.as('olga') };
});
afterAll(async () => {
  await app.stop();
  await permissions.stop();
});

/** Each operation of the reference that answers with JSON, and each message of the stream, as one story. */
it('keeps the examples of the API reference', async () => {
  const loaded = app.files.add();
  const other = app.files.add();
  examples.keep('filestore.load', await app.put(olga, [{ _fileId: loaded.id }]).expect(200));
  await app.untilStatus(olga, loaded.id, 'LOADED');
  await app.stored(loaded);
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

interface Reference {
  $ref: string;
}
interface Document {
  asyncapi: string;
  info: { title: string; version: string };
  channels: Record<string, { address: string; messages: Record<string, Reference> }>;
  operations: Record<string, { action: string; channel: Reference; messages: Reference[] }>;
  components: { messages: Record<string, Message>; schemas: Record<string, Schema> };
}
interface Message {
  name: string;
  contentType: string;
  payload: Schema;
  examples?: { payload: unknown }[];
}
type Schema = NonNullable<Parameters<typeof missingInSchema>[0]>;

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
/** Of the schemas of AsyncAPI. */
const DRAFT = 'http://json-schema.org/draft-07/schema#';
const document = read('asyncapi.json') as Document;
const { messages, schemas } = document.components;

/** The names of the messages whose declared schemas a value matches. */
function matching(value: unknown): string[] {
  const declared = Object.values(messages).filter(({ contentType }) => contentType === 'application/json');
  return declared.filter(({ payload }) => matches(payload, value)).map(({ name }) => name);
}

function matches(payload: Schema, value: unknown): boolean {
  const alone = JSON.stringify({ $schema: DRAFT, ...payload, definitions: schemas });
  const schema = JSON.parse(alone.replaceAll('#/components/schemas/', '#/definitions/')) as Schema;
  return z.fromJSONSchema(schema as never).safeParse(value).success;
}

describe('asyncapi.json', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
    await app.startWorker();
  });
  afterAll(() => app.stop());

  it('is what the schemas of the messages say', () => {
    expect(document).toEqual(JSON.parse(JSON.stringify(createAsyncApi(read('examples.json') as never))));
  });

  it('has the shape of AsyncAPI 3, and no reference that leads nowhere', () => {
    expect(document).toMatchObject({
      asyncapi: '3.1.0',
      info: { title: expect.any(String), version: expect.any(String) },
    });
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!);
    expect(references.length).toBeGreaterThan(10);
    for (const path of references) {
      const found = path.split('/').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document);
      expect([path, typeof found]).toEqual([path, 'object']);
    }
    for (const { action, messages } of Object.values(document.operations)) {
      expect(['send', 'receive']).toContain(action);
      for (const { $ref } of messages) expect($ref).toMatch(/^#\/channels\/stream\/messages\//);
    }
    for (const [name, message] of Object.entries(messages)) expect(message.name).toBe(name);
  });

  it('describes each field, and has an example of each message', () => {
    const payloads = Object.entries(messages).map(([name, { payload }]) => [name, payload] as const);
    const lacking = [...payloads, ...Object.entries(schemas)].flatMap(([name, schema]) =>
      missingInSchema(schema, name),
    );
    expect(lacking).toEqual([]);
    for (const { payload, examples = [] } of Object.values(messages)) {
      expect(examples).toHaveLength(1);
      expect(matches(payload, examples[0]!.payload)).toBe(true);
    }
  });

  it('describes each message of a session, and refuses others', async () => {
    const authorization = await app.as('olga');
    const file = app.files.add();
    await app.put({ authorization }, [{ _fileId: file.id }]).expect(200);
    await app.untilStatus({ authorization }, file.id, 'LOADED');
    await app.stored(file);
    const body = { _name: 'Tower', _namespaces: ['tower_1'], _fileIds: [file.id, app.files.add().id] };
    const set = await app.api.post(`${FILESETS}?nsfilter=tower_1`).set({ authorization }).send(body).expect(201);

    const stream = await openStream(app.url, { authorization });
    const sent: [object, string][] = [
      [{ type: 'open', requestId: 1, fileSetId: set.body._id, nsfilter: 'tower_1' }, 'OpenFileSet'],
      [{ type: 'read', requestId: 2, fileId: file.id, offset: 1, length: 3 }, 'ReadFile'],
      [{ type: 'read', requestId: 3, fileId: 'no-id' }, 'ReadFile'],
      [{ type: 'cancel', requestId: 3 }, 'CancelRead'],
    ];
    for (const [message, name] of sent) {
      expect(matching(message)).toEqual([name]);
      stream.socket.send(JSON.stringify(message));
    }
    await stream.until(2, 'end');
    await stream.until(3, 'error');
    stream.close();
    const replies = stream.messages.map((message) => [message.type, ...matching(message)]);
    expect(new Set(replies.map((each) => each.join()))).toEqual(
      new Set(['opened,Opened', 'header,Header', 'end,End', 'error,Failure']),
    );
    expect(matching({ type: 'read', requestId: -1, fileId: file.id })).toEqual([]);
    expect(matching({ type: 'opened', requestId: 1 })).toEqual([]);
  });
});

import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { createAsyncApi } from '../src/service.js';
import { FILESETS, startApp } from './start-app.js';
import { openStream } from './stream-client.js';

interface Document {
  asyncapi: string;
  components: { messages: Record<string, Message>; schemas: Record<string, Schema> };
}
interface Message {
  name: string;
  contentType: string;
  payload: Schema;
  examples?: { payload: unknown }[];
}
type Schema = Record<string, unknown>;

/** The dialect of AsyncAPI. */
const DRAFT = 'http://json-schema.org/draft-07/schema#';
const document = JSON.parse(readFileSync(new URL('../asyncapi.json', import.meta.url), 'utf8')) as Document;
const { messages, schemas } = document.components;

/** The names of the messages whose declared schemas a value matches. */
function matching(value: unknown): string[] {
  const declared = Object.values(messages).filter(({ contentType }) => contentType === 'application/json');
  return declared.filter(({ payload }) => matches(payload, value)).map(({ name }) => name);
}

function matches(payload: Schema, value: unknown): boolean {
  const alone = JSON.stringify({ $schema: DRAFT, ...payload, definitions: schemas });
  const schema = JSON.parse(alone.replaceAll('#/components/schemas/', '#/definitions/')) as Schema;
  return z.fromJSONSchema(schema).safeParse(value).success;
}

const app = await startApp();
await app.startWorker();
afterAll(() => app.stop());

describe('asyncapi.json', () => {
  it('is generated from the message schemas', () => {
    const described = structuredClone(document);
    for (const message of Object.values(described.components.messages)) delete message.examples;
    expect(described).toEqual(JSON.parse(JSON.stringify(createAsyncApi())));
  });

  it('is AsyncAPI 3 without dangling references', () => {
    expect(document.asyncapi).toBe('3.1.0');
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!);
    expect(references.length).toBeGreaterThan(10);
    for (const path of references) {
      const found = path.split('/').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document);
      expect([path, typeof found]).toEqual([path, 'object']);
    }
  });

  it('has an example of each message', () => {
    for (const { payload, examples = [] } of Object.values(messages)) {
      expect(examples).toHaveLength(1);
      expect(matches(payload, examples[0]!.payload)).toBe(true);
    }
  });

  it('describes every message of a session and no others', async () => {
    const authorization = await app.as('olga');
    const file = await app.loaded({ authorization });
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
    const responses = stream.messages.map((message) => [message.type, ...matching(message)]);
    expect(new Set(responses.map((each) => each.join()))).toEqual(
      new Set(['opened,Opened', 'header,Header', 'end,End', 'error,Failure']),
    );
    expect(matching({ type: 'read', requestId: -1, fileId: file.id })).toEqual([]);
    expect(matching({ type: 'opened', requestId: 1 })).toEqual([]);
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { createAsyncApi } from '../src/service.js';

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

function matches(payload: Schema, value: unknown): boolean {
  const alone = JSON.stringify({ $schema: DRAFT, ...payload, definitions: schemas });
  const schema = JSON.parse(alone.replaceAll('#/components/schemas/', '#/definitions/')) as Schema;
  return z.fromJSONSchema(schema).safeParse(value).success;
}

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

  // The examples are messages of a real session (examples.test.ts).
  it('has an example of each message, which matches that message only', () => {
    for (const { name, examples = [] } of Object.values(messages)) {
      expect(examples).toHaveLength(1);
      const matching = Object.values(messages).filter(({ payload }) => matches(payload, examples[0]!.payload));
      expect(matching.map((message) => message.name)).toEqual([name]);
    }
    expect(matches(messages.ReadFile!.payload, { type: 'read', requestId: -1, fileId: 'x' })).toBe(false);
  });
});

import { z } from 'zod';

export type Json = Record<string, unknown>;

/** Messages that a test has kept, by their names. */
export type MessageExamples = Record<string, { message?: unknown }>;

export interface DescribedMessage extends Json {
  name: string;
}

/** The messages of an AsyncAPI document, and the schemas that their payloads refer to. */
export function createMessages(examples: MessageExamples) {
  const schemas: Json = {};
  const messages: DescribedMessage[] = [];

  function add(message: DescribedMessage): DescribedMessage {
    const example = examples[message.name]?.message;
    const described = example === undefined ? message : { ...message, examples: [{ payload: example }] };
    messages.push(described);
    return described;
  }

  return {
    schemas,
    messages,
    /** A message that is not JSON. */
    add,
    /** A message of JSON, from the schema that checks it. */
    addText(name: string, schema: z.ZodType, io: 'input' | 'output'): DescribedMessage {
      const {
        $schema: _dialect,
        definitions = {},
        description,
        ...payload
      } = withReferences(z.toJSONSchema(schema, { io, target: 'draft-7' }));
      Object.assign(schemas, definitions);
      return add({ name, summary: description, contentType: 'application/json', payload });
    },
  };
}

/** References are relative to the whole document, so they must point into its components. */
const withReferences = (schema: object): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/definitions/', '"#/components/schemas/')) as Json;

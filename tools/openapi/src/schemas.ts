import { z } from 'zod';
import type { Component, Components } from './components.js';

type Json = Record<string, unknown>;
type Direction = 'input' | 'output';

/** Converts zod schemas to JSON schemas of one document. Schemas with an id, and recursive ones, become components. */
export interface Schemas {
  /** The schema of a request. @param name unique in the document, for recursive schemas without an id */
  input(schema: z.ZodType, name: string): Json;
  /** The schema of a response; additional fields are allowed. */
  output(schema: z.ZodType, name: string): Json;
}

/** @param components the document's components, to which named schemas are added */
export function createSchemas(components: Components): Schemas {
  const convert = (schema: z.ZodType, io: Direction, name: string) => {
    const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: plain(io) });
    return withReferences(json, io, name, components);
  };
  return {
    input: (schema, name) => convert(schema, 'input', name),
    output: (schema, name) => convert(schema, 'output', name),
  };
}

type Bounded = Pick<
  z.core.JSONSchema.BaseSchema,
  'additionalProperties' | 'format' | 'pattern' | 'minimum' | 'maximum'
>;

/**
 * Removes trivial facts: the bounds of JavaScript integers, the pattern of a date and time with any offset, and that
 * responses have no additional fields.
 */
const plain =
  (io: Direction) =>
  ({ jsonSchema }: { jsonSchema: Bounded }) => {
    if (jsonSchema.format === 'date-time' && jsonSchema.pattern?.includes('[+-]')) delete jsonSchema.pattern;
    if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  };

/** References such as `#/$defs/x` or `#` are relative to the whole document, so they must point to its components. */
function withReferences(json: Json, io: Direction, name: string, components: Components): Json {
  if (!JSON.stringify(json).includes('"$ref":"#')) return json;
  const { $defs = {}, ...root } = json as Json & { $defs?: Record<string, Component> };
  const isRecursive = JSON.stringify(json).includes('"$ref":"#"');
  const names = namesOf($defs, io, name, components);
  const renamed = (value: unknown) => replaceReferences(value, name, names);
  for (const [id, schema] of Object.entries($defs))
    components.add('schemas', names.get(id)!, renamed(schema) as Component);
  if (!isRecursive) return renamed(root) as Json;
  return components.add('schemas', name, renamed(root) as Component);
}

/**
 * Requests and responses may have different types under one id. The second is named after its direction, as is
 * everything that refers to it.
 */
function namesOf(defs: Record<string, Component>, io: Direction, name: string, components: Components) {
  const ids = Object.keys(defs);
  const names = new Map(ids.map((id) => [id, id.startsWith('__') ? `${name}.${id}` : id]));
  const isTaken = (id: string) =>
    names.get(id) === id && components.differs('schemas', id, replaceReferences(defs[id], name, names));
  let taken = ids.filter(isTaken);
  while (taken.length > 0) {
    for (const id of taken) names.set(id, `${id}${io === 'input' ? 'Input' : 'Output'}`);
    taken = ids.filter(isTaken);
  }
  return names;
}

function replaceReferences(value: unknown, self: string, names: Map<string, string>): unknown {
  return JSON.parse(JSON.stringify(value), (key, part: unknown) => {
    if (key !== '$ref' || typeof part !== 'string') return part;
    const name = part === '#' ? self : names.get(part.replace('#/$defs/', ''));
    return name === undefined ? part : `#/components/schemas/${name}`;
  });
}

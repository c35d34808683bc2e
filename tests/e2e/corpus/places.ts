import { type DescribedOperation, jsonBodyOf, resolveSchema, type Schema } from '../support/openapi.js';
import { callOf, sample, valuesFor } from '../matrix/requests.js';
import type { Tenant } from '../matrix/tenant.js';
import { INPUTS, type Input } from './inputs.js';

/** A parameter, a header, or a field of a JSON body of an operation. */
export interface Place {
  operation: DescribedOperation;
  in: 'path' | 'query' | 'header' | 'body';
  name: string;
  type: keyof typeof INPUTS;
  /** From the root of a body to the field. */
  steps: Step[];
}
/** The name of a field with its parent's schema; 0 for the first entry of an array. */
interface Step {
  key: string | 0;
  schema: Schema;
}

/** A request as bytes, because clients do not send invalid ones. */
export interface RawRequest {
  method: string;
  /** Path and query, percent-encoded. */
  url: string;
  headers: Record<string, string>;
  body?: Buffer | FormData;
}

const MAX_DEPTH = 6;
const HERE = '@@here@@';
/** They describe the body or the caller. */
const FIXED_HEADERS = /^(authorization|content-type|content-length)$/i;

export function placesOf(operation: DescribedOperation): Place[] {
  const places: Place[] = [];
  for (const { name, in: where, schema } of operation.parameters ?? []) {
    if (where === 'header' && FIXED_HEADERS.test(name)) continue;
    places.push({ operation, in: where, name, type: typeOf(schema), steps: [] });
  }
  const body = jsonBodyOf(operation)?.schema as Schema | undefined;
  if (body) for (const steps of fieldsOf(operation, body)) places.push(placeInBody(operation, steps));
  return places;
}

function placeInBody(operation: DescribedOperation, { steps, type }: Field): Place {
  const name = ['body', ...steps.map(({ key }) => key)].join('.');
  return { operation, in: 'body', name, type, steps };
}

interface Field {
  steps: Step[];
  type: Place['type'];
}

/** The body itself, and each of its fields. */
function fieldsOf(operation: DescribedOperation, given: Schema, steps: Step[] = []): Field[] {
  const schema = resolveSchema(operation.service, given);
  const here: Field[] = [{ steps, type: typeOf(schema) }];
  if (steps.length >= MAX_DEPTH) return here;
  const below = (key: Step['key'], part: Schema) => fieldsOf(operation, part, [...steps, { key, schema }]);
  const { properties = {}, items, anyOf = [], additionalProperties } = schema;
  const found = [
    ...Object.entries(properties).flatMap(([key, part]) => below(key, part)),
    ...(items ? below(0, items) : []),
    ...(additionalProperties && typeof additionalProperties === 'object' ? below('free', additionalProperties) : []),
    ...anyOf.flatMap((part) => fieldsOf(operation, part, steps).slice(1)),
  ];
  const byName = new Map([...here, ...found].map((field) => [field.steps.map(({ key }) => key).join('.'), field]));
  return [...byName.values()];
}

function typeOf({ type, anyOf, $ref }: Schema): Place['type'] {
  if ($ref || anyOf || Array.isArray(type)) return 'open';
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'string' || type === 'boolean' ? type : 'open';
}

/** The inputs that can be sent to a place. */
export const inputsOf = (place: Place): Input[] =>
  INPUTS[place.type].filter(({ json, encoded }) => {
    if (place.in === 'body') return json !== undefined;
    if (encoded === undefined) return false;
    // Clients resolve these segments, and an empty one changes the path.
    if (place.in === 'path') return !/^(\.|%2e){0,2}$/i.test(encoded) && encoded.length < 4096;
    return place.in === 'query' ? encoded.length < 8192 : headerValue(encoded) !== undefined;
  });

/** Headers are Latin-1 without control characters. */
function headerValue(encoded: string): string | undefined {
  try {
    const value = decodeURIComponent(encoded);
    return /^[\x20-\x7e\xa0-\xff]{1,1024}$/.test(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A call of the operation that is valid except for one place. */
export function requestFor(place: Place, { json, encoded }: Input, tenant: Tenant, ids: Tenant['ids']): RawRequest {
  const { operation } = place;
  const path = place.in === 'path' ? operation.path.replace(`{${place.name}}`, HERE) : operation.path;
  const valid = callOf({ ...operation, path }, tenant, { ids });
  const query = new URLSearchParams(valid.request.query);
  const headers: Record<string, string> = { ...valid.request.headers };
  if (place.in === 'header') headers[place.name] = headerValue(encoded!)!;
  query.delete(place.in === 'query' ? place.name : '');
  const pairs = [query.toString(), place.in === 'query' ? `${encodeURIComponent(place.name)}=${encoded}` : ''];
  const url = [valid.path.replace(HERE, () => encoded!), pairs.filter(Boolean).join('&')].filter(Boolean).join('?');
  const body = place.in === 'body' ? bodyWith(place, json!, valid.request.json, tenant) : validBody(valid.request);
  if (place.in === 'body' || valid.request.json !== undefined) headers['content-type'] ??= 'application/json';
  return { method: operation.method, url, headers, ...(body && { body }) };
}

const validBody = ({ json, body }: { json?: unknown; body?: unknown }): Buffer | FormData | undefined => {
  if (json !== undefined) return Buffer.from(JSON.stringify(json));
  return typeof body === 'string' ? Buffer.from(body) : (body as FormData | undefined);
};

function bodyWith({ operation, steps }: Place, json: Buffer, valid: unknown, tenant: Tenant): Buffer {
  const root = { body: structuredClone(valid) } as Record<string | number, unknown>;
  let parent = root;
  let key: string | number = 'body';
  for (const step of steps) {
    if (typeof parent[key] !== 'object' || parent[key] === null) {
      parent[key] = sample(operation.service, step.schema, '', valuesFor(operation, tenant), new Set());
    }
    if (typeof parent[key] !== 'object' || parent[key] === null) parent[key] = step.key === 0 ? [] : {};
    parent = parent[key] as Record<string | number, unknown>;
    key = step.key;
  }
  parent[key] = HERE;
  const [before, after] = JSON.stringify(root.body).split(JSON.stringify(HERE));
  return Buffer.concat([Buffer.from(before!), json, Buffer.from(after!)]);
}

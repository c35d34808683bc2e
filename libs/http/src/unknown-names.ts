import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import leven from 'leven';
import { cutText, JsonRejected, parseJson } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { parseInput } from './input.js';
import { knownNames } from './known-names.js';
import type { KnownNames } from './known-names.js';

const TOKEN = /[\w!#$%&'*+.^`|~-]+/.source;
const QUOTED = /"(?:[^"\\]|\\.)*"/.source;
const WORD = `(?:${QUOTED}|${TOKEN})`;
const NAME_AND_VALUE = new RegExp(`^ ?(${TOKEN})(?: ?= ?(${WORD})?)? ?(?:;|$)`);
/** The text between unquoted commas. */
const PREFERENCE = new RegExp(`(?:${QUOTED}|[^",])+`, 'g');

/** The patterns take quadratic time. */
const MAX_CHARS = 256;

/**
 * Whether a request has `Prefer: handling=strict` (RFC 7240, section 4.4). The first `handling` counts. Longer headers
 * are ignored.
 */
export function prefersStrict({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const sent = headers.prefer;
  if (sent === undefined) return false;
  const all = [sent].flat().join(',');
  if (all.length > MAX_CHARS) return false;
  const text = all.replace(/\s+/g, ' ');
  for (const [preference] of text.matchAll(PREFERENCE)) {
    const [, name = '', value = ''] = NAME_AND_VALUE.exec(preference) ?? [];
    if (name.toLowerCase() === 'handling') return unquoted(value).toLowerCase() === 'strict';
  }
  return false;
}

const unquoted = (word: string) => (word.startsWith('"') ? word.slice(1, -1).replace(/\\(.)/g, '$1') : word);

/** Maximum number of names reported per request. */
const MAX_UNKNOWN = 1000;
const MAX_DETAILS = 20;
const MAX_LOCATION = 200;
/** Maximum length of a reported name, in characters. */
const MAX_SHOWN = 64;
const MAX_HEADER_BYTES = 1024;

interface UnknownName {
  location: string;
  name: string;
  /** Names that are known at this place. */
  known: ReadonlySet<string>;
}

interface Exchange {
  res: ServerResponse;
}

/**
 * Reports unknown names in a value: as an error under `handling=strict` (the response then has `Preference-Applied`),
 * otherwise in the header `Ignored`.
 * @throws 400
 */
export function reportUnknown(
  { res }: Exchange,
  known: KnownNames | undefined,
  value: unknown,
  where: 'query' | 'body',
): void {
  if (!known) return;
  const unknown: UnknownName[] = [];
  collect(known, value, [where], unknown);
  if (unknown.length === 0) return;
  if (res.hasHeader('preference-applied')) throw rejection(unknown);
  const before = res.getHeader('ignored');
  res.setHeader('Ignored', ignoredHeader(typeof before === 'string' ? before : '', unknown));
}

/** `parseInput` for input that a handler reads itself. */
export function parseNamed<T>(exchange: Exchange, schema: z.ZodType<T>, value: unknown, where: 'query' | 'body'): T {
  reportUnknown(exchange, knownNames(schema), value, where);
  return parseInput(schema, value, where);
}

function collect(known: KnownNames, value: unknown, path: (string | number)[], unknown: UnknownName[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const { each } = known;
    if (each) value.forEach((entry, index) => within(each, entry, index, path, unknown));
    return;
  }
  const { names, fields, each, isKnown } = known;
  for (const name in value) {
    if (names && !names.has(name) && !isKnown?.(name)) {
      if (unknown.length < MAX_UNKNOWN)
        unknown.push({ location: [...path, cutText(name, MAX_SHOWN)].join('.'), name, known: names });
      continue;
    }
    const field = fields?.get(name) ?? (names ? undefined : each);
    if (field) within(field, (value as Record<string, unknown>)[name], name, path, unknown);
  }
}

/** Undefined for invalid JSON, which validation rejects later. */
function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonRejected) return undefined;
    throw error;
  }
}

function within(
  known: KnownNames,
  value: unknown,
  key: string | number,
  path: (string | number)[],
  unknown: UnknownName[],
) {
  path.push(key);
  collect(known, known.isJson && typeof value === 'string' ? jsonIn(value) : value, path, unknown);
  path.pop();
}

function rejection(unknown: UnknownName[]) {
  const shown = unknown.slice(0, MAX_DETAILS).map(({ location, name, known }) => {
    const near = nearestName(name, known);
    return {
      location,
      name: `\`${cutText(name, MAX_SHOWN)}\``,
      hint: near === undefined ? '' : `did you mean \`${near}\`?`,
    };
  });
  return commonErrors.badRequest({
    message: `Unknown: ${shown.map(({ name, hint }) => (hint ? `${name} (${hint})` : name)).join(', ')}.`,
    details: shown.map(({ location, hint }) => ({
      location: cutText(location, MAX_LOCATION),
      message: hint ? `is unknown; ${hint}` : 'is unknown',
    })),
  });
}

function ignoredHeader(before: string, unknown: UnknownName[]): string {
  const names = new Set(before === '' ? [] : before.split(', '));
  let bytes = before.length;
  for (const { name } of unknown) {
    const encoded = encodeURIComponent(cutText(name, MAX_SHOWN));
    if (names.has(encoded)) continue;
    bytes += encoded.length + 2;
    if (bytes > MAX_HEADER_BYTES) break;
    names.add(encoded);
  }
  return [...names].join(', ');
}

/** Longer names are compared by this prefix. */
const MAX_LENGTH = 64;

/** The most similar known name, if it differs in less than half of its letters. */
function nearestName(sent: string, known: Iterable<string>): string | undefined {
  const wanted = plain(sent);
  let nearest: string | undefined;
  let least = Infinity;
  for (const name of known) {
    const other = plain(name);
    const distance = leven(wanted, other);
    if (distance >= least || distance > Math.max(wanted.length, other.length) / 2) continue;
    [nearest, least] = [name, distance];
  }
  return nearest;
}

/** Letter case, `_` and brackets are the usual mistakes. */
const plain = (name: string) =>
  name
    .slice(0, MAX_LENGTH)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.]/gu, '');

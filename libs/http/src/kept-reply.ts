import type { Reply } from './reply.js';
import type { Route } from './route.js';

/** A longer body is not kept, but read again for a repetition. Far below the 16 MiB of a document. */
const MAX_KEPT_BYTES = 64 * 1024;

/** What is stored of a reply for repetitions of its request. */
export interface KeptReply extends Pick<Reply, 'status' | 'headers'> {
  /** JSON text: MongoDB bounds the depth of what it stores, and the names in it. */
  text?: string;
  /** The body was too long: the ids of what it showed. `text` is then the rest of a page. */
  ids?: string[];
  /** The body that was too long was an array. */
  isArray?: boolean;
  /** Of a body that was not read into memory: equal for equal input. */
  bodyDigest?: string;
}

type Entry = Record<string, unknown>;

/** @returns what is stored of a reply, without its secrets */
export function keptOf({ secrets = [] }: Route, { status, headers, body }: Reply): KeptReply {
  if (body === undefined) return { status, headers };
  const shown = without(body, secrets);
  const text = JSON.stringify(shown);
  if (Buffer.byteLength(text) <= MAX_KEPT_BYTES) return { status, headers, text };
  const ids = entriesOf(shown).map(({ _id, id }) => String(_id ?? id));
  if (Array.isArray(body)) return { status, headers, ids, isArray: true };
  return { status, headers, ids, ...(isPage(shown) && { text: JSON.stringify(without(shown, ['_list'])) }) };
}

/** What a body shows: the entries of a page, or one resource. */
export function entriesOf(body: unknown): Entry[] {
  if (Array.isArray(body)) return body as Entry[];
  return isPage(body) ? body._list : [body as Entry];
}

const isPage = (body: unknown): body is { _list: Entry[] } => Array.isArray((body as { _list?: unknown })._list);

function without(body: unknown, names: readonly string[]): unknown {
  if (names.length === 0) return body;
  return Object.fromEntries(Object.entries(body as Entry).filter(([name]) => !names.includes(name)));
}

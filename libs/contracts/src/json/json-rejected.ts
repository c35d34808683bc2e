import { cutText } from '../cut-text.js';

export type JsonPath = readonly (string | number)[];

const MAX_KEY = 64;
const MAX_PLACE = 200;

/**
 * JSON or a value that the platform rejects. `message` is the predicate of a sentence ("The body …"), as in
 * describeIssue. It names fields and never repeats values.
 */
export class JsonRejected extends Error {
  /** @param path of the rejected value; empty for the whole value and for invalid JSON */
  constructor(
    readonly problem: string,
    readonly path: JsonPath = [],
  ) {
    super(path.length === 0 ? problem : `${problem}: ${placeOf(path)}`);
    this.name = 'JsonRefused';
  }
}

/** Text that is not JSON. */
export class NotJson extends JsonRejected {}

/** A path in JavaScript notation: `[3]._userAttributes.n`. */
function placeOf(path: JsonPath): string {
  const place = path
    .map((key) => {
      if (typeof key === 'number') return `[${key}]`;
      const name = cutText(key, MAX_KEY);
      return /^[\p{L}\p{N}_$-]+$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
    })
    .join('');
  return cutText(place.replace(/^\./, ''), MAX_PLACE);
}

/** Below MongoDB's limit of 100 levels, because documents wrap what callers send. */
export const MAX_DEPTH = 64;
/** `__proto__` changes objects built from keys; MongoDB's driver interprets `_bsontype`. */
const FORBIDDEN_KEYS: readonly string[] = ['__proto__', '_bsontype'];

/**
 * Rejects a value that MongoDB cannot store or would change: NUL, unpaired surrogates, forbidden keys, numbers that are
 * not finite, excessive depth. For values that parseJson has not read.
 * @throws JsonRejected
 */
export function rejectUnstorable(value: unknown): void {
  walk(value, []);
}

/** @param path of the value; mutated during the walk */
function walk(value: unknown, path: (string | number)[]): void {
  if (typeof value === 'string') rejectText(value, 'has text', path);
  else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new JsonRejected('has a number that is not finite', [...path]);
  } else if (typeof value === 'object' && value !== null) {
    if (path.length > MAX_DEPTH) throw new JsonRejected(`is nested more than ${MAX_DEPTH} levels deep`);
    for (const [key, entry] of Object.entries(value)) {
      path.push(Array.isArray(value) ? Number(key) : key);
      if (!Array.isArray(value)) rejectKey(key, path);
      walk(entry, path);
      path.pop();
    }
  }
}

function rejectKey(key: string, path: JsonPath): void {
  if (FORBIDDEN_KEYS.includes(key)) throw new JsonRejected('has a field with a reserved name', [...path]);
  rejectText(key, 'has a field whose name is text', path.slice(0, -1));
}

function rejectText(text: string, what: string, path: JsonPath): void {
  const problem = problemOfText(text);
  if (problem) throw new JsonRejected(`${what} that ${problem}`, [...path]);
}

/** Why a text is not allowed, as the predicate of a sentence; undefined if it is. */
export function problemOfText(text: string): string | undefined {
  if (text.includes('\0')) return 'contains the character NUL';
  return text.isWellFormed() ? undefined : 'is not valid Unicode';
}

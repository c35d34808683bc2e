import { BSON } from '@dtplatform/mongo';
import { isText } from '../../domain/indexes/related-index.js';
import type { RelatedIndex } from '../../domain/indexes/related-index.js';

/** What the database's indexes see of a related item (docs/adr/0064). Not a part of it for anybody else. */
export type Indexed = Record<string, { i: string; v?: unknown }>;

/** Stands for what is not indexed by its value. No text, number or flag equals it, and in order it is behind them. */
export const OTHER = new BSON.MaxKey();

/** Longer texts are not indexed by their value. */
const MAX_TEXT_LENGTH = 512;
/** Of one related item, in characters. The rest of its text is not found. */
const MAX_SEARCHED_LENGTH = 32 * 1024;

/** The field of `INDEXED` that belongs to an index. */
export const placeOf = (index: Pick<RelatedIndex, 'slot'>): string =>
  index.slot === undefined ? 't' : `s${index.slot}`;

/** What an index sees of a related item. */
export function valueFor(index: Pick<RelatedIndex, '_id' | 'fields'>, row: object): { i: string; v?: unknown } {
  if (isText(index)) return { i: index._id, v: textsOf(index, row) };
  const value = simpleAt(row, index.fields[0]!.path);
  return value === undefined ? { i: index._id } : { i: index._id, v: value };
}

/** What all indexes of a collection see of a related item, and those that it is too complex for. */
export function indexedOf(indexes: readonly RelatedIndex[], row: object): { indexed?: Indexed; mixed: RelatedIndex[] } {
  if (indexes.length === 0) return { mixed: [] };
  const values = indexes.map((index) => [index, valueFor(index, row)] as const);
  return {
    indexed: Object.fromEntries(values.map(([index, value]) => [placeOf(index), value])),
    mixed: values.filter(([index, { v }]) => v === OTHER && !index.isMixed).map(([index]) => index),
  };
}

/** The text, number or flag at a path, undefined for null and where nothing is; `OTHER` for anything else, as in arrays. */
function simpleAt(row: object, path: string): unknown {
  let value: unknown = row;
  for (const segment of path.split('.')) {
    if (Array.isArray(value)) return OTHER;
    if (!isPlain(value)) return undefined;
    value = Object.hasOwn(value, segment) ? value[segment] : undefined;
  }
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return typeof value === 'string' && value.length <= MAX_TEXT_LENGTH ? value : OTHER;
}

function textsOf({ fields }: Pick<RelatedIndex, 'fields'>, row: object): string[] {
  const texts: string[] = [];
  let left = MAX_SEARCHED_LENGTH;
  for (const { path } of fields) {
    for (const found of textsAt(row, path.split('.'))) {
      if (left <= 0) return texts;
      texts.push(found.slice(0, left));
      left -= found.length;
    }
  }
  return texts;
}

/** The texts at a path, those in arrays included, as in MongoDB. */
function* textsAt(value: unknown, [segment, ...rest]: string[]): Generator<string> {
  if (Array.isArray(value)) {
    for (const entry of value as unknown[]) {
      if (!Array.isArray(entry)) yield* textsAt(entry, segment === undefined ? [] : [segment, ...rest]);
    }
  } else if (segment === undefined) {
    if (typeof value === 'string') yield value;
  } else if (isPlain(value) && Object.hasOwn(value, segment)) {
    yield* textsAt(value[segment], rest);
  }
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

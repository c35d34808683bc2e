import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { openCall } from '@dtplatform/telemetry';
import type { ReadMemory } from '@dtplatform/telemetry';
import { defineModel, id, keyLoader, onePage, text } from '../src/index.js';
import { countValues } from '../src/one-page.js';
import { BSON } from '../src/driver.js';
import { useDatabase } from './support.js';

interface Note {
  _id: string;
  text: string;
}

const MIB = 1024 * 1024;
const noteModel = defineModel<Note>('notes', { _id: id, text });

const mongo = await useDatabase();
const notes = mongo.model(noteModel);
const SMALL = Array.from({ length: 40 }, (_, n) => `small-${n}`);
const LARGE = Array.from({ length: 3 }, (_, n) => `large-${n}`);

beforeAll(async () => {
  await notes.insertMany(SMALL.map((_id) => ({ _id, text: _id })));
  for (const _id of LARGE) await notes.create({ _id, text: 'x'.repeat(7 * MIB) });
});

/** Runs work in a request, and returns its memory reservations in MiB, in order. */
async function inRequest<T>(work: () => Promise<T>, { hasRoom = true } = {}): Promise<{ result: T; memory: string[] }> {
  const used: string[] = [];
  const mib = (bytes: number) => Math.round(bytes / MIB);
  const memory: ReadMemory = {
    waitedMs: 0,
    async reserve(kind, maxBytes) {
      used.push(`${kind} ${mib(maxBytes)}`);
      return {
        async keep(bytes) {
          used.push(`keeps ${mib(bytes)}`);
          return kind === 'large' || hasRoom;
        },
        release: () => used.push('released'),
      };
    },
  };
  const call = openCall({}, 'test', {}, { signal: new AbortController().signal, memory });
  return { result: await call.run(work), memory: used };
}

describe('onePage', () => {
  const page = (ids: string[], maxDocuments = ids.length, room = {}) =>
    inRequest(() => onePage<Note>(notes.collection, [{ $match: { _id: { $in: ids } } }], maxDocuments), room);

  it('reserves little for a page of few documents, with one round trip if all are small', async () => {
    const { result, memory } = await page(SMALL.slice(0, 32));
    expect(result).toHaveLength(32);
    expect(memory).toEqual(['small 1', 'keeps 0', 'released']);
  });

  it('reserves memory and reads again if there was none for the result', async () => {
    const { result, memory } = await page(SMALL.slice(0, 32), 32, { hasRoom: false });
    expect(result).toHaveLength(32);
    expect(memory).toEqual(['small 1', 'keeps 0', 'released', 'large 0', 'keeps 0', 'released']);
  });

  it('reads a page with a large document again', async () => {
    const { result, memory } = await page([SMALL[0]!, LARGE[0]!]);
    expect(result.map(({ _id, text }) => [_id, text.length]).sort()).toEqual([
      ['large-0', 7 * MIB],
      ['small-0', 7],
    ]);
    expect(memory).toEqual(['small 0', 'released', 'large 16', 'keeps 7', 'released']);
  });

  it('reserves the maximum for a page of many documents', async () => {
    const { result, memory } = await page(SMALL, 1000);
    expect(result).toHaveLength(40);
    expect(memory).toEqual(['large 16', 'keeps 0', 'released']);
  });

  it('releases its memory when the query fails', async () => {
    const failing = (maxDocuments: number) => () =>
      onePage(notes.collection, [{ $match: { $nothing: 1 } }], maxDocuments).catch(() => 'failed');
    expect(await inRequest(failing(1))).toEqual({ result: 'failed', memory: ['small 0', 'released'] });
    expect(await inRequest(failing(1000))).toEqual({ result: 'failed', memory: ['large 16', 'released'] });
  });
});

describe('keyLoader', () => {
  const find = keyLoader<Note>(notes, '_id');
  const findAll = (ids: string[]) => inRequest(() => Promise.all(ids.map((one) => find(one))));

  it('finds concurrently requested documents, each once for every call', async () => {
    const { result } = await findAll([...SMALL, 'none', SMALL[0]!]);
    expect(result.map((note) => note?._id)).toEqual([...SMALL, undefined, SMALL[0]]);
  });

  it('finds large ones one by one', async () => {
    const { result, memory } = await findAll([...LARGE, 'none', SMALL[0]!]);
    expect(result.map((note) => note?._id)).toEqual([...LARGE, undefined, SMALL[0]]);
    expect(memory.filter((one) => one === 'large 16')).toHaveLength(4);
    expect(memory.filter((one) => one === 'keeps 7')).toHaveLength(3);
  });
});

describe('countValues', () => {
  const valuesIn = (value: unknown): number => {
    if (typeof value !== 'object' || value === null || '_bsontype' in value || value instanceof Date) return 0;
    if (value instanceof RegExp || value instanceof Uint8Array) return 0;
    return Object.values(value).reduce((sum: number, one) => sum + 1 + valuesIn(one), 0);
  };

  it('counts the values of any JSON', () => {
    const json = fc.dictionary(
      fc.string().filter((key) => !key.includes('\0')),
      fc.jsonValue({ maxDepth: 5 }),
    );
    const withoutZeroKeys = json.filter((value) => !JSON.stringify(value).includes('\\u0000'));
    fc.assert(
      fc.property(withoutZeroKeys, (value) => {
        expect(countValues(BSON.serialize(value))).toBe(valuesIn(value));
      }),
    );
  });

  it('counts values of every BSON type', () => {
    const { BSONRegExp, Binary, Code, Decimal128, Long, MaxKey, MinKey, ObjectId, Timestamp } = BSON;
    const all = {
      ...{ double: 1.5, int: 1, long: Long.fromString('9007199254740993'), decimal: Decimal128.fromString('1.1') },
      ...{ text: 'a\0b', none: null, yes: true, date: new Date(0), id: new ObjectId(), regex: /a\/b/i },
      ...{ other: new BSONRegExp('a', 'i'), bytes: new Binary(Buffer.alloc(3)), code: new Code('f()') },
      ...{ min: new MinKey(), max: new MaxKey(), time: Timestamp.fromBits(1, 2), part: { list: [{}, [], ['x']] } },
    };
    expect(countValues(BSON.serialize(all))).toBe(Object.keys(all).length + 1 + 3 + 1);
  });

  it('counts small values as their memory in JavaScript', async () => {
    const text = JSON.stringify(0);
    await notes.collection.insertOne({ text, values: Array.from({ length: 100_000 }, () => ({})) });
    const { memory } = await inRequest(() => onePage(notes.collection, [{ $match: { text } }], 1));
    expect(memory.filter((one) => one.startsWith('keeps'))).toEqual(['keeps 7']);
  });
});

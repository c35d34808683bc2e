import { describe, expect, it } from '@jest/globals';
import { AppError } from '@dtplatform/errors';
import { parseProjection, parseQuery, parseSortOrder, withTieBreaker } from '../../src/query/parse-query.js';

const rejectionOf = (run: () => unknown): { status: number; code: string; message: string } => {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError) return { status: error.status, code: error.code, message: error.message };
    throw error;
  }
  throw new Error('not rejected');
};
const rejection = (query: unknown) => rejectionOf(() => parseQuery(query));
const nested = (levels: number): object => (levels === 0 ? { a: 1 } : { $and: [nested(levels - 1)] });

describe('parseQuery', () => {
  it('accepts every supported operator', () => {
    const query = {
      $and: [{ a: { $eq: 1, $ne: 2, $gt: 0, $gte: 0, $lt: 9, $lte: 9 } }, { b: { $in: [1], $nin: [2] } }],
      $or: [{ c: { $exists: true } }, { c: { $type: ['string', 16] } }],
      $nor: [{ d: { $all: [1, 2] } }, { d: { $all: [{ $elemMatch: { x: 1 } }] } }],
      e: { $elemMatch: { $gte: 1, $lt: 2 } },
      f: { $elemMatch: { g: 1, $or: [{ h: 2 }, { h: { $exists: 0 } }] } },
      i: { $size: 2, $not: { $mod: [4, 1] } },
      j: { $regex: '^a.*b$', $options: 'im' },
      $text: { $search: 'door', $caseSensitive: true },
      'k.l.0': { m: { n: [null, true] } },
    };
    expect(parseQuery(query).where).toMatchObject({ kind: 'and' });
  });

  it.each(['$where', '$expr', '$rand', '$not'])('rejects %s at the top, naming it', (operator) => {
    const message = expect.stringContaining(`${operator} `);
    expect(rejection({ [operator]: 'x' })).toEqual({ status: 400, code: 'UNKNOWN_OPERATOR', message });
  });

  it.each([
    ...[{ a: { $where: '1' } }, { a: { $elemMatch: { $where: '1' } } }, { a: { $not: { $expr: 1 } } }],
    ...[{ $or: [{ b: { $geoWithin: {} } }] }, { a: { b: { $gt: 1 } } }, { a: { $eq: { $ref: 'x' } } }],
    ...[{ a: { $in: [{ $regex: 'x' }] } }, { a: { $and: [] } }, { $or: [{ $text: { $search: 'x' } }] }],
    { a: { $elemMatch: { $text: { $search: 'x' } } } },
  ])('rejects an operator in %j', (query) => expect(rejection(query).code).toBe('UNKNOWN_OPERATOR'));

  it.each([
    ...[[], 'a', null, { '': 1 }, { 'a..b': 1 }, { '.a': 1 }, { 'a.$b': 1 }, { 'a\0b': 1 }, { a: { $gt: 1, b: 2 } }],
    ...[{ $and: [] }, { $and: {} }, { $or: [1] }, { a: { $in: 1 } }, { a: { $exists: 'yes' } }],
    ...[{ a: { $type: 'text' } }, { a: { $type: [] } }, { a: { $size: -1 } }, { a: { $size: 1.5 } }],
    ...[{ a: { $mod: [0, 1] } }, { a: { $mod: [1] } }, { a: { $not: 'x' } }, { a: { $not: {} } }],
    ...[{ a: { $elemMatch: 1 } }, { a: { $all: 1 } }, { a: { $all: [1, { $elemMatch: { b: 1 } }] } }],
    ...[{ a: { $regex: 1 } }, { a: { $regex: 'a', $options: 'x' } }],
    ...[{ $text: 'x' }, { $text: {} }, { $text: { $search: 'x', $other: 1 } }],
    ...[{ '_versions.all': 'yes' }, { $or: [{ '_versions.all': true }] }],
  ])('rejects %j', (query) => expect(rejection(query).status).toBe(400));

  it.each([
    ...['(a+)+$', '(a*)*', '((a|b)+c?)*', '(a{2,})+', '([a-z]+)*$', '(?:x+y?)+z', '(a{100}){100}', '(?=a)b'],
    ...['(a)\\1', '[', 'a{2,1}', 'x'.repeat(513)],
  ])('rejects the regular expression %s', (pattern) => {
    expect(rejection({ a: { $regex: pattern } }).code).toBe('UNSAFE_REGULAR_EXPRESSION');
  });

  it.each([
    ...['^Door-\\d+$', '(\\d{1,3}\\.){3}\\d{1,3}', '(abc)+', '[(+*]+', '\\(a+\\)+', '(?i)level'],
    ...['.*(north|south).*', 'ä+'],
  ])('accepts the regular expression %s', (pattern) => {
    expect(parseQuery({ a: { $regex: pattern } }).where).toMatchObject({ tests: [{ operator: '$regex', pattern }] });
  });

  const times = <T>(count: number, of: (n: number) => T) => Array.from({ length: count }, (_, n) => of(n));
  it.each<[number, string, (count: number) => object]>([
    [10, 'levels', nested],
    [200, 'conditions', (count) => Object.fromEntries(times(count, (n) => [`f${n}`, n]))],
    [1000, 'entries of $in', (count) => ({ a: { $in: times(count, (n) => n) } })],
    // Each is a condition, and so are the field and the operator.
    [198, 'entries of $all', (count) => ({ a: { $all: times(count, (n) => n) } })],
    [99, 'conditions in $all', (count) => ({ a: { $all: times(count, () => ({ $elemMatch: { b: 1 } })) } })],
  ])('accepts at most %d %s', (most, _what, queryOf) => {
    expect(parseQuery(queryOf(most)).where).toBeDefined();
    expect(rejection(queryOf(most + 1)).code).toMatch(/^(QUERY_TOO_COMPLEX|INVALID_QUERY)$/);
  });

  it('finds _versions.all wherever it applies to the whole query', () => {
    expect(parseQuery({ '_versions.all': true })).toEqual({ allVersions: true });
    expect(parseQuery({ $and: [{ a: 1 }, { '_versions.all': true }] }).allVersions).toBe(true);
    expect(parseQuery({ '_versions.all': false, a: 1 }).allVersions).toBe(false);
  });
});

describe('parseProjection', () => {
  it('accepts either fields to include or fields to exclude', () => {
    expect(parseProjection({ _metadata: 0 })).toEqual({ kind: 'without', paths: ['_metadata'], withId: true });
    expect(parseProjection({ _name: 1, _id: 0 })).toEqual({ kind: 'only', paths: ['_name'], withId: false });
    expect(parseProjection({ _id: 1 })).toEqual({ kind: 'only', paths: [], withId: true });
    expect(parseProjection({})).toBeUndefined();
  });

  it.each([
    ...[{ a: 1, b: 0 }, { a: '$b' }, { a: { $slice: 1 } }, { 'a.$': 1 }, { a: 1, 'a.b': 1 }, { a: 2 }, [], { '': 1 }],
  ])('rejects %j', (projection) => {
    expect(rejectionOf(() => parseProjection(projection)).code).toBe('INVALID_PROJECTION');
  });
});

describe('parseSortOrder', () => {
  it('keeps the order of the keys, and appends the id', () => {
    expect(parseSortOrder({ b: -1, a: 1 })).toEqual([
      ['b', -1],
      ['a', 1],
    ]);
    expect(withTieBreaker([['b', -1]])).toEqual([
      ['b', -1],
      ['_id', -1],
    ]);
    expect(withTieBreaker([])).toEqual([['_id', 1]]);
  });

  it.each([{ a: 2 }, { a: '1' }, { $a: 1 }, { a: { $meta: 'textScore' } }, 'a', []])('rejects %j', (sort) => {
    expect(rejectionOf(() => parseSortOrder(sort)).code).toBe('INVALID_SORT');
  });
});

import { afterAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { booleanParameter, listParameter, ok, pagingParameters, route, routes, wholePage } from '../src/index.js';
import { anybody, startApi } from './start-api.js';

const list = (path: string, limits?: { defaultSize: number; maxSize: number }) =>
  route.get(path, {
    ...anybody(`list.${path}`),
    query: z.object(pagingParameters(limits)),
    handler: async ({ query }) => ok(query),
  });

const lists = route.get('/lists', {
  ...anybody('lists.get'),
  query: z.object({
    _ids: listParameter().optional(),
    _tags: listParameter(z.string(), 3, { mayHaveCommas: true }).optional(),
    flag: booleanParameter.optional(),
  }),
  handler: async ({ query }) => ok(query),
});

const app = await startApi([routes('', [list('/things'), list('/files', { defaultSize: 10, maxSize: 200 }), lists])]);
afterAll(() => app.stop());

const get = async (path: string) => (await app.api.get(`/api${path}`).expect(200)).body as unknown;

describe('paging parameters', () => {
  it.each([
    ['/things', 0, 25],
    ['/files', 0, 10],
    ['/things?_pageSize=1001', 0, 1000],
    ['/files?_pageSize=201&_offset=7', 7, 200],
    ['/files?_pageSize=99999999999999999999999', 0, 200],
    ['/files?_offset=99999999999999999999999', 2 ** 31 - 1, 10],
    ['/things?_pageSize=000&_offset=007', 7, 0],
  ])('have defaults and maxima, and may ask for an empty page: %s', async (path, _offset, _pageSize) => {
    expect(await get(path)).toEqual({ _offset, _pageSize });
  });

  it.each(['-1', '1.5', '1e2', '', '%20', '0x10', '+5', '١'])(
    'are rejected when they are not whole numbers: %j',
    async (value) => {
      for (const name of ['_offset', '_pageSize']) {
        const response = await app.api.get(`/api/things?${name}=${encodeURI(value)}`).expect(400);
        expect(response.body.errors).toMatchObject([{ location: `query.${name}` }]);
      }
    },
  );

  it('are rejected when they are repeated', async () => {
    const { body } = await app.api.get('/api/things?_offset=1&_offset=2').expect(400);
    expect(body.errors).toEqual([{ location: 'query._offset', message: 'must not be sent more than once' }]);
  });
});

describe('list parameters', () => {
  it.each([
    ['_ids=A, B,,%20C ,', { _ids: ['A', 'B', 'C'] }],
    ['_ids=A,B&_ids= C', { _ids: ['A', 'B', 'C'] }],
    ['_ids=', { _ids: [] }],
    ['_tags=red, %23blue%23', { _tags: ['red', '#blue#'] }],
    ['_tags=north, east&_tags= plan &_tags=', { _tags: ['north, east', 'plan'] }],
  ])('are comma-separated or repeated, and trimmed: %s', async (query, values) => {
    expect(await get(`/lists?${query}`)).toEqual(values);
  });

  it('are bounded', async () => {
    await app.api.get('/api/lists?_tags=a,b,c,d').expect(400);
  });
});

describe('boolean parameters', () => {
  it('are case-insensitive, and rejected if they are anything else', async () => {
    for (const text of ['true', 'True', 'TRUE']) expect(await get(`/lists?flag=${text}`)).toEqual({ flag: true });
    expect(await get('/lists?flag=False')).toEqual({ flag: false });
    for (const text of ['1', 'yes', '', 'truer', 'true&flag=true'])
      expect((await app.api.get(`/api/lists?flag=${text}`).expect(400)).body.errors).toMatchObject([
        { location: 'query.flag' },
      ]);
  });
});

it('returns a complete list as a page of its own size', () => {
  expect(wholePage(['a', 'b'])).toEqual({ _offset: 0, _pageSize: 2, _total: 2, _list: ['a', 'b'] });
});

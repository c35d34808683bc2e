import { afterAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import {
  furtherNames,
  noContent,
  ok,
  okPage,
  pageOf,
  pagingOf,
  pagingParameters,
  route,
  routes,
} from '../src/index.js';
import { anyCaller, anybody, startApi } from './start-api.js';

const Part = z.object({ name: z.string(), size: z.number().optional() });
const Thing = z.object({ _id: z.string(), _name: z.string(), _metadata: z.object({ _createdAt: z.number() }) });
const Labels = z.object({ _name: z.string().optional() }).loose();
furtherNames.add(Labels, { isKnown: (name) => name.startsWith('_label.') });

const NewThing = z.object({
  _name: z.string().optional(),
  _data: z.record(z.string(), z.unknown()).optional(),
  parts: z.array(Part).default([]),
  shape: z.union([z.object({ radius: z.number() }), z.object({ width: z.number() }), z.string()]).optional(),
  byName: z.record(z.string(), Part).optional(),
});

const things = routes('/things', [
  route.post('/', {
    ...anyCaller('things.create'),
    body: z.array(NewThing).transform((all) => all.map(({ _name }) => _name)),
    responses: { 204: null },
    handler: async () => noContent(),
  }),
  route.get('/', {
    ...anyCaller('things.list'),
    query: z.object(pagingParameters()),
    responses: { 200: pageOf(Thing) },
    handler: async ({ query }) => okPage({ list: [], total: 0 }, pagingOf(query)),
  }),
  route.put('/:id', {
    ...anyCaller('things.label'),
    params: z.object({ id: z.string() }),
    body: Labels.transform(({ _name }) => ({ _name })),
    responses: { 200: Thing.partial() },
    handler: async () => ok({}),
  }),
  route.get('/page', { ...anybody('things.page'), handler: async () => ok(undefined) }),
]);

const app = await startApi([things]);
afterAll(() => app.stop());

const as = { authorization: 'Bearer user-ann' };
const STRICT = 'handling=strict';
const create = (thing: object, prefer = '') =>
  app.api
    .post('/api/things')
    .set({ ...as, prefer })
    .send([thing]);
const list = (query: string, prefer = '') => app.api.get(`/api/things?${query}`).set({ ...as, prefer });

describe('unknown names', () => {
  it.each([
    [{ name: 'x' }, 'body.0.name', '`_name`'],
    [{ parts: [{ name: 'a' }, { name: 'b', sise: 1 }] }, 'body.0.parts.1.sise', '`size`'],
    [{ shape: { radius: 1, hight: 2 } }, 'body.0.shape.hight', ''],
    [{ byName: { any: { name: 'a', Name: 'b' } } }, 'body.0.byName.any.Name', '`name`'],
  ])('in bodies are a 400 that names them and the most similar known name: %j', async (thing, location, near) => {
    const { body, headers } = await create(thing, STRICT).expect(400);
    expect(body.errors).toEqual([{ location, message: expect.stringContaining(near) }]);
    expect(body.message).toContain(`\`${location.split('.').at(-1)}\``);
    expect(headers['preference-applied']).toBe(STRICT);
    expect((await create(thing).expect(204)).headers.ignored).toBe(location.split('.').at(-1));
  });

  it.each([
    { _name: 'x', _data: { any: { thing: 1 } } },
    { shape: { width: 1 }, byName: { any: { name: 'a' } } },
    { _id: '1', _name: 'x', _metadata: { _createdAt: 1, more: 2 } },
    { parts: [{ name: 'a', _createdAt: 1 }] },
  ])('exclude names that are free-form, known by an alternative, or shown in responses: %j', async (thing) => {
    const { headers } = await create(thing, STRICT).expect(204);
    expect(headers['preference-applied']).toBe(STRICT);
    expect(headers.ignored).toBeUndefined();
    expect((await create(thing).expect(204)).headers.ignored).toBeUndefined();
  });

  it('in queries are listed percent-encoded in a header, or rejected', async () => {
    const { headers } = await list('limit=10&_name[]=a&_pageSize=1&limit=11').expect(200);
    expect(headers.ignored).toBe('limit, _name%5B%5D');
    const { body } = await list('limit=10&_page_size=a', STRICT).expect(400);
    expect(body.errors).toEqual([
      { location: 'query.limit', message: 'is unknown' },
      { location: 'query._page_size', message: 'is unknown; did you mean `_pageSize`?' },
    ]);
    await list('_pageSize=1', STRICT).expect(200);
  });

  it('do not hide what follows a thousand of them in a query', async () => {
    const names = Array.from({ length: 1000 }, (_, n) => `x${n}`);
    await list(`${names.join('&')}&_pageSize=none`).expect(400);
  });

  it('are reported within limits', async () => {
    const long = '\u{1f600}'.repeat(100);
    const { headers } = await create({ [long]: 1 }).expect(204);
    expect(decodeURIComponent(headers.ignored!)).toBe('\u{1f600}'.repeat(64));
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`unknown_${n}`, 1]));
    const response = await create(many).expect(204);
    expect(response.headers.ignored!.length).toBeLessThanOrEqual(1024);
    expect((await create({ [long]: 1 }, STRICT).expect(400)).text).not.toContain('\u{1f600}'.repeat(65));
  });

  it('exclude families of names that a schema declares', async () => {
    const put = (body: object) =>
      app.api
        .put('/api/things/1')
        .set({ ...as, prefer: STRICT })
        .send(body);
    await put({ _name: 'x', '_label.colour': 1, _metadata: {} }).expect(200);
    await put({ labels: 1 }).expect(400);
  });

  it('are ignored for pages', async () => {
    const { headers } = await app.api.get('/api/things/page?x=1').set('prefer', STRICT).expect(200);
    expect([headers.ignored, headers['preference-applied']]).toEqual([undefined, undefined]);
  });
});

describe('Prefer', () => {
  it.each([
    ['respond-async, Handling = "strict"; x=1', true],
    ['foo="a, handling=strict", wait=1', false],
    ['handling=lenient, handling=strict', false],
    ['return=minimal; handling=strict', false],
    ['foo="\\"", handling=strict', true],
    [['respond-async', 'handling=strict'], true],
    ['handling', false],
    [`handling=strict, foo="${'x'.repeat(250)}"`, false],
  ])('parses %j', async (prefer, isStrict) => {
    const { status } = await app.send('/api/things?limit=1', { headers: { ...as, prefer } });
    expect(status).toBe(isStrict ? 400 : 200);
  });
});

import { afterAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { matchesPrecondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { ok, revision, route, routes } from '../src/index.js';
import { anybody, startApi } from './start-api.js';

/** A resource that a PUT changes. */
let thing = { _id: '1', _name: 'a', _revision: 1 };
const show = ({ _revision, ...shown }: typeof thing) => shown;

const declares = { rule: 'resource', action: 'READ', resource: 'http:thing' } as const;
const needs = { declares, check: async () => ({ ...thing, _namespaces: [] }) };
const open = (operation: string) => ({ ...anybody(operation), responses: { 200: z.unknown() } });
const table = routes('/things', [
  route.get('/', { ...open('list'), handler: async () => ok({ _list: [thing] }) }),
  route.get('/1', { ...open('get'), needs, etag: revision, show, handler: async () => ok(thing) }),
  route.get('/1/part', {
    ...open('part'),
    etag: () => undefined,
    handler: async () => ok({ _name: thing._name }),
  }),
  route.put('/1', {
    ...open('put'),
    needs,
    etag: revision,
    ifMatch: true,
    show,
    handler: async ({ precondition }) => {
      if (!matchesPrecondition(thing, precondition)) throw commonErrors.preconditionFailed();
      return ok((thing = { ...thing, _revision: thing._revision + 1 }));
    },
  }),
]);

const app = await startApi([table]);
afterAll(() => app.stop());

const etag = async (path = '/api/things/1') => (await app.api.get(path).expect(200)).headers.etag!;

describe('ETag', () => {
  it('is the stored revision, even if the body does not show it', async () => {
    const response = await app.api.get('/api/things/1').expect(200);
    expect(response.headers.etag).toBe(`"${thing._revision}"`);
    expect(response.body).toEqual({ _id: '1', _name: 'a' });
  });

  it('is not sent with a list or a partial representation', async () => {
    expect(await etag('/api/things')).toBeUndefined();
    expect(await etag('/api/things/1/part')).toBeUndefined();
  });

  it('changes with each write and only then', async () => {
    const before = await etag();
    expect(await etag()).toBe(before);
    const put = await app.api.put('/api/things/1').expect(200);
    expect(put.headers.etag).not.toBe(before);
    expect(await etag()).toBe(put.headers.etag);
  });

  it.each([
    ['the tag', (tag: string) => tag],
    ['the tag as a weak one', (tag: string) => `W/${tag}`],
    ['a list that holds it', (tag: string) => `"other", ${tag}`],
    ['*', () => '*'],
  ])('with If-None-Match of %s makes a GET and a HEAD a 304', async (_what, header) => {
    const tag = await etag();
    const response = await app.api.get('/api/things/1').set('if-none-match', header(tag)).expect(304);
    expect(response.text).toBe('');
    expect(response.headers.etag).toBe(tag);
    await app.api.head('/api/things/1').set('if-none-match', header(tag)).expect(304);
    await app.api.get('/api/things/1').set('if-none-match', '"other"').expect(200);
  });

  it('that differs from If-Match makes a read a 412', async () => {
    await app.api.get('/api/things/1').set('if-match', '"999"').expect(412);
    const current = await etag();
    await app.api.get('/api/things/1').set('if-match', current).expect(200);
  });
});

describe('a write with If-Match', () => {
  it('succeeds with the current revision', async () => {
    for (const header of [(tag: string) => tag, (tag: string) => `"other", ${tag}`, () => '*'])
      await app.api
        .put('/api/things/1')
        .set('if-match', header(await etag()))
        .expect(200);
  });

  it('is a 412 without effect with another revision', async () => {
    const stale = await etag();
    await app.api.put('/api/things/1').expect(200);
    const before = thing;
    for (const header of [stale, '"other"', `W/${await etag()}`, 'no tag']) {
      const response = await app.api.put('/api/things/1').set('if-match', header).expect(412);
      expect(response.body).toMatchObject({ code: 'PRECONDITION_FAILED' });
    }
    expect(thing).toBe(before);
  });
});

import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { doors, itemClient, ITEMS } from './item-client.js';
import { NS, openApp, OTHER } from './start-app.js';
import type { Caller } from './start-app.js';

const MIB = 1024 * 1024;

const here = await openApp(NS);
const { app } = here;
const { create, createOne, list, get, sendText, addVersion, addRows } = itemClient(here);
const reader = await app.caller('rita', NS, ['READ']);
const stranger = await app.caller('sven', OTHER);
const item = await createOne();

describe('the body of a request', () => {
  /** Sends the headers of a request, but not its body. */
  async function announce(method: string, path: string, caller: Caller) {
    const headers = { ...caller, 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
    const req = request(`${app.url}${path}?nsfilter=${NS}`, { method, headers });
    req.flushHeaders();
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    const { code } = (await json(res)) as { code: string };
    req.on('error', () => undefined).destroy();
    return { status: res.statusCode, code };
  }

  it('is not read from a caller who may not send it', async () => {
    const forbidden = { status: 403, code: 'FORBIDDEN' };
    const missing = { status: 404, code: 'NOT_FOUND' };
    const path = `${ITEMS}/${item._id}`;
    expect(await announce('POST', ITEMS, stranger)).toEqual(forbidden);
    expect(await announce('PUT', path, stranger)).toEqual(missing);
    expect(await announce('POST', ITEMS, reader)).toEqual(forbidden);
    for (const below of ['versions', 'relateditems']) {
      expect(await announce('POST', `${path}/${below}`, stranger)).toEqual(missing);
      expect(await announce('POST', `${path}/${below}`, reader)).toEqual(forbidden);
    }
  });

  it('is rejected for too many entries before they are validated', async () => {
    const { body } = await sendText('post', '', `[${'{},'.repeat(200_000)}{}]`).expect(400);
    expect(body.errors).toEqual([{ location: 'body', message: 'must have at most 1000 items' }]);
    const nested = await create([doors({ _namespaces: Array(500_000).fill(1) })]).expect(400);
    const message = expect.stringMatching(/^must have at most \d+ items$/);
    expect(nested.body.errors).toEqual([{ location: 'body.0._namespaces', message }]);
  });
});

describe('a page of more than 16 MiB', () => {
  const tooLarge = { status: 400, code: 'PAGE_TOO_LARGE', message: expect.stringContaining('_pageSize') };
  const text = 'x'.repeat(6 * MIB);
  const createLarge = (_userType: string, own = text) =>
    createOne({ _userType, _version: { _userAttributes: { text: own } } });

  it('is rejected in lists of items', async () => {
    for (let n = 0; n < 3; n++) await createLarge('large');
    const large = (more: object) => list({ query: { _userType: 'large' }, ...more });
    expect((await large({}).expect(400)).body).toMatchObject(tooLarge);
    expect((await large({ page: { _pageSize: 2 } }).expect(200)).body._list).toHaveLength(2);
    expect((await large({ project: { _name: 1 } }).expect(200)).body._list).toHaveLength(3);
  });

  it('is rejected if its JSON is much longer than what is stored', async () => {
    for (let n = 0; n < 2; n++) await createLarge('escaped', '\u0001'.repeat(1.5 * MIB));
    expect((await list({ query: { _userType: 'escaped' } }).expect(400)).body).toMatchObject(tooLarge);
  });

  it('is rejected in lists of versions, and for an item with all of them', async () => {
    const { _id } = await createLarge('versions');
    for (let n = 0; n < 3; n++) await addVersion(_id, { _userAttributes: { text } });
    expect((await get(`${_id}/versions`).expect(400)).body).toMatchObject(tooLarge);
    expect((await get(`${_id}/versions`, { _pageSize: 2 }).expect(200)).body._list).toHaveLength(2);
    expect((await get(_id, { '_versions.all': true }).expect(400)).body).toMatchObject(tooLarge);
    await get(_id, { versions: '1' }).expect(200);
  });

  it('is rejected in lists of related items', async () => {
    for (let n = 0; n < 3; n++) await addRows(item._id, [{ text }]);
    expect((await get(`${item._id}/relateditems`).expect(400)).body).toMatchObject(tooLarge);
    expect((await get(`${item._id}/relateditems`, { _pageSize: 2 }).expect(200)).body._list).toHaveLength(2);
  });
});

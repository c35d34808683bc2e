import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { doors, itemClient, ITEMS, NS, OTHER } from './item-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const MIB = 1024 * 1024;
const LARGE = 10 * MIB;
type Caller = { authorization: string };

let app: TestApp;
let owner: Caller;
let reader: Caller;
let stranger: Caller;
let itemId: string;
const client = itemClient(() => ({ app, owner }));

beforeAll(async () => {
  app = await startApp();
  owner = await app.caller('olga', NS);
  reader = await app.caller('rita', NS, ['READ']);
  stranger = await app.caller('sven', OTHER);
  itemId = (await client.createOne())._id;
});
afterAll(() => app.stop());

describe('a body that its caller may not send', () => {
  /** Sends the headers of a request with a body, and no body: the answer can only come from the headers. */
  function announce(method: string, path: string, caller: Caller, headers: Record<string, string | number>) {
    return new Promise<{ status: number; code: string }>((resolve, reject) => {
      const url = `${app.url}${path}?nsfilter=${NS}`;
      const req = request(url, { method, headers: { ...caller, 'content-type': 'application/json', ...headers } });
      req.on('error', reject);
      req.on('response', (res: IncomingMessage) => {
        json(res).then((body) => {
          resolve({ status: res.statusCode!, code: (body as { code: string }).code });
          req.destroy();
        }, reject);
      });
      req.flushHeaders();
    });
  }
  const announced = { 'content-length': 100 };
  const large = { 'content-length': LARGE };
  const chunked = { 'transfer-encoding': 'chunked' };
  const item = () => `${ITEMS}/${itemId}`;

  it.each([announced, large, chunked])(
    'is not read from one who holds nothing in the namespace (%j)',
    async (headers) => {
      expect(await announce('POST', ITEMS, stranger, headers)).toEqual({ status: 403, code: 'FORBIDDEN' });
      const missing = { status: 404, code: 'NOT_FOUND' };
      expect(await announce('PUT', item(), stranger, headers)).toEqual(missing);
      expect(await announce('POST', `${item()}/versions`, stranger, headers)).toEqual(missing);
      expect(await announce('POST', `${item()}/relateditems`, stranger, headers)).toEqual(missing);
    },
  );

  it.each([large, chunked])('is not read from one who may not create, where it may be large (%j)', async (headers) => {
    const rejected = { status: 403, code: 'FORBIDDEN' };
    expect(await announce('POST', ITEMS, reader, headers)).toEqual(rejected);
    expect(await announce('POST', `${item()}/versions`, reader, headers)).toEqual(rejected);
    expect(await announce('POST', `${item()}/relateditems`, reader, headers)).toEqual(rejected);
  });

  it('is not parsed either', async () => {
    const broken = (caller: Caller) =>
      app.api.post(ITEMS).query({ nsfilter: NS }).set(caller).set('content-type', 'application/json').send('{');
    await broken(stranger).expect(403);
    await broken(owner).expect(400);
  });

  it('is refused for its length before its many entries are looked at', async () => {
    const send = (body: string) =>
      app.api.post(ITEMS).query({ nsfilter: NS }).set(owner).set('content-type', 'application/json').send(body);
    const reply = await send(`[${'{},'.repeat(200_000)}{}]`).expect(400);
    expect(reply.body.errors).toEqual([{ location: 'body', message: 'must have at most 1000 items' }]);
    const nested = await send(
      JSON.stringify([doors({ _namespaces: Array.from({ length: 500_000 }, () => 1) })]),
    ).expect(400);
    expect(nested.body.errors).toEqual([
      { location: 'body.0._namespaces', message: expect.stringMatching(/^must have at most \d+ items$/) },
    ]);
  });

  it.each([
    ['[', 5 * MIB],
    ['{"a":', MIB],
    ['[{},', MIB],
    ['[0,', 3 * MIB],
    ['["\\\\",', MIB],
  ])('is refused if it would take much more memory than its text (%s)', async (start, times) => {
    const body = `${start[0]}${start.slice(1).repeat(times)}`;
    const deep = start.length < 2 || start.startsWith('{') ? start.repeat(times) : body;
    const send = app.api.post(ITEMS).query({ nsfilter: NS }).set(owner).set('content-type', 'application/json');
    expect((await send.send(deep).expect(400)).body.message).toMatch(/more than .*(levels|values)/);
  });

  it('may be large if its caller may create', async () => {
    const _version = { _userAttributes: { text: 'x'.repeat(2 * MIB) } };
    const reply = await client.create([doors({ _version }), doors({ _version })]).expect(201);
    expect(reply.body._list).toHaveLength(2);
  });
});

describe('a page of more than 16 MiB', () => {
  const tooLarge = { status: 400, code: 'PAGE_TOO_LARGE', message: expect.stringContaining('_pageSize') };
  const createLarge = (text: string, name: string) =>
    client.createOne({ _name: name, _userType: name, _version: { _userAttributes: { text } } });

  it('is refused in lists of items', async () => {
    for (let n = 0; n < 3; n++) await createLarge('x'.repeat(6 * MIB), 'large');
    const list = (more: object) => client.list({ query: { _userType: 'large' }, ...more });
    expect((await list({}).expect(400)).body).toMatchObject(tooLarge);
    expect((await list({ page: { _pageSize: 2 } }).expect(200)).body._list).toHaveLength(2);
    expect((await list({ project: { _name: 1 } }).expect(200)).body._list).toHaveLength(3);
  });

  it('is refused where its text is much longer than what is stored', async () => {
    for (let n = 0; n < 2; n++) await createLarge('\u0001'.repeat(1.5 * MIB), 'escaped');
    expect((await client.list({ query: { _userType: 'escaped' } }).expect(400)).body).toMatchObject(tooLarge);
  });

  it('is refused in lists of versions, and of items with their versions', async () => {
    const { _id } = await createLarge('x'.repeat(6 * MIB), 'versions');
    for (let n = 0; n < 3; n++) {
      const version = { _userAttributes: { text: 'x'.repeat(6 * MIB) } };
      await app.api.post(`${ITEMS}/${_id}/versions`).query({ nsfilter: NS }).set(owner).send(version).expect(201);
    }
    const versions = (query: object) => client.get(`${_id}/versions`, query);
    expect((await versions({}).expect(400)).body).toMatchObject(tooLarge);
    expect((await versions({ _pageSize: 2 }).expect(200)).body._list).toHaveLength(2);
    expect((await client.get(_id, { '_versions.all': true }).expect(400)).body).toMatchObject(tooLarge);
    await client.get(_id, { versions: '1' }).expect(200);
  });

  it('is refused in lists of related items', async () => {
    for (let n = 0; n < 3; n++) {
      const add = app.api.post(`${ITEMS}/${itemId}/relateditems`).query({ nsfilter: NS }).set(owner);
      await add.send([{ text: 'x'.repeat(6 * MIB) }]).expect(201);
    }
    const related = (query: object) => client.get(`${itemId}/relateditems`, query);
    expect((await related({}).expect(400)).body).toMatchObject(tooLarge);
    expect((await related({ _pageSize: 2 }).expect(200)).body._list).toHaveLength(2);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { doors, itemClient, NS, OTHER } from './item-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

describe('named user items', () => {
  let app: TestApp;
  let owner: { authorization: string };
  const { create, createOne, get, list } = itemClient(() => ({ app, owner }));

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
    await app.caller('olga', OTHER);
  });
  afterAll(() => app.stop());

  describe('POST', () => {
    it('creates what several callers send at the same time, each its own', async () => {
      const names = Array.from({ length: 40 }, (_, n) => `Room ${n}`);
      const replies = await Promise.all(names.map((_name) => create([doors({ _name })]).expect(201)));
      expect(replies.map(({ body }) => body._list[0]._name)).toEqual(names);
      for (const { body } of replies) await get(body._list[0]._id).expect(200, body._list[0]);
    });

    it('creates items with their first version and shows them as GET does', async () => {
      const _version = { _userAttributes: { level: 3, tags: ['a'] }, _userData: { note: 'x' } };
      const before = Date.now();
      const reply = await create([
        doors({ _version, stray: 1, _kind: 'collection' }),
        doors({ _name: 'Windows' }),
      ]).expect(201);
      expect(reply.body).toMatchObject({ _offset: 0, _pageSize: 2, _total: 2, _failures: [] });
      const [item, second] = reply.body._list;
      expect(item).toEqual({
        ...doors({ _kind: 'collection' }),
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        _userItemId: expect.stringMatching(/^doors_[\w-]{8,}$/),
        _uri: `/nameduseritems/${item._id}`,
        _irn: `itemsvc:nameduseritem:${item._id}`,
        _tipId: item._versions[0]._id,
        _tipVersion: 1,
        _nextVersion: 2,
        _versionsCount: 1,
        _versions: [
          {
            _id: expect.any(String),
            _userItemDbId: item._id,
            _isTip: true,
            _version: 1,
            ..._version,
            _metadata: item._metadata,
          },
        ],
        _metadata: {
          _createdAt: expect.any(Number),
          _updatedAt: item._metadata._createdAt,
          _createdById: 'olga',
          _updatedById: 'olga',
        },
      });
      expect(item._metadata._createdAt).toBeGreaterThanOrEqual(before);
      expect(second._userItemId).not.toBe(item._userItemId);
      expect((await get(item._id).expect(200)).body).toEqual(item);
      expect((await get(item._userItemId).expect(200)).body).toEqual(item);
    });

    it.each([
      ['NamedCompositeItem', { _userAttributes: {} }],
      ['NamedFileCollection', undefined],
      ['NamedUserCollection', undefined],
      ['NamedTelemetryCollection', undefined],
      ['Script', { _userData: 'export function main() {}' }],
      ['UserConfig', { _userData: { theme: 'dark', $schema: 'x', 'a.b': 1 } }],
    ])('creates a %s', async (_itemClass, _version) => {
      const item = await createOne({ _itemClass, _version });
      expect(item).toMatchObject({ _itemClass, _versions: [{ ..._version }] });
      expect((await get(item._id)).body).toEqual(item);
    });

    it.each([
      ['NamedCompositeItem', {}],
      ['NamedCompositeItem', { _version: { _userData: {} } }],
      ['Script', {}],
      ['UserConfig', { _version: { _userAttributes: {} } }],
      ['Spreadsheet', {}],
    ])('refuses a %s with %j', async (_itemClass, more) => {
      const reply = await create([doors({ _itemClass, ...more })]).expect(400);
      expect(reply.body).toMatchObject({
        status: 400,
        code: 'BAD_REQUEST',
        errors: [{ location: expect.stringMatching(/^body\.0\./) }],
      });
    });

    it('keeps the time-series properties of telemetry collections, and of no others', async () => {
      const _tsProperties = { _granularity: 'minutes', _expiry: 3600 };
      expect(await createOne({ _itemClass: 'NamedTelemetryCollection', _tsProperties })).toMatchObject({
        _tsProperties,
      });
      expect(await createOne({ _tsProperties })).not.toHaveProperty('_tsProperties');
    });

    it.each(['_name', '_shortName', '_description', '_namespaces', '_userType', '_itemClass'])(
      'refuses an item without %s',
      async (field) => {
        const reply = await create([doors(), doors({ [field]: undefined })]).expect(400);
        expect(reply.body.errors).toEqual([{ location: `body.1.${field}`, message: expect.any(String) }]);
      },
    );

    it.each([
      ['a short name of 23 characters', [doors({ _shortName: 'x'.repeat(23) })]],
      ['no namespaces', [doors({ _namespaces: [] })]],
      ['attributes that are no object', [doors({ _version: { _userAttributes: [1] } })]],
      ['a version that is no object', [doors({ _version: 'v1' })]],
      ['an object', doors()],
      ['an empty array', []],
      ['1001 items', Array.from({ length: 1001 }, () => doors())],
      ['a number', [7]],
    ])('refuses %s', async (_what, body) => {
      const reply = await create(body).expect(400);
      expect(reply.body).toMatchObject({ status: 400, requestId: expect.any(String) });
    });

    it('writes nothing when one of the entries is not valid', async () => {
      const before = (await list()).body._total;
      await create([doors(), doors({ _name: '' })]).expect(400);
      await create([doors(), doors({ _name: '' })], { transactional: true }).expect(400);
      expect((await list()).body._total).toBe(before);
    });

    it('leaves out entries that are too large, or writes nothing in a transactional call', async () => {
      const before = (await list()).body._total;
      // 2 bytes of JSON, 11 bytes of BSON for each.
      const huge = doors({ _version: { _userData: new Array(900_000).fill(1) } });
      const partly = await create([huge, doors()]).expect(201);
      expect(partly.body).toMatchObject({ _total: 1, _failures: [{ index: 0, code: 'VERSION_TOO_LARGE' }] });
      const refused = await create([huge, doors()], { transactional: true }).expect(400);
      expect(refused.body).toMatchObject({ code: 'NOTHING_WRITTEN', errors: [{ location: 'body.0' }] });
      await create([huge]).expect(400);
      expect((await list()).body._total).toBe(Number(before) + 1);
    });

    it('creates all in one transaction, without a list of failures', async () => {
      const reply = await create([doors(), doors()], { transactional: true }).expect(201);
      expect(reply.body._list).toHaveLength(2);
      expect(reply.body).not.toHaveProperty('_failures');
      const many = Array.from({ length: 1000 }, (_, n) => doors({ _userType: 'of a thousand', _shortName: `d${n}` }));
      const { body } = await create(many, { transactional: true }).expect(201);
      expect(body._total).toBe(1000);
      expect((await list({ query: { _userType: 'of a thousand' } })).body._total).toBe(1000);
    });

    it('refuses a body over 10 MiB', async () => {
      const huge = doors({ _version: { _userData: { text: 'x'.repeat(11 * 1024 * 1024) } } });
      await create([huge]).expect(413);
    });

    it('refuses an nsfilter that is not among the namespaces of an entry', async () => {
      const reply = await create([doors(), doors({ _namespaces: [OTHER] })]).expect(400);
      expect(reply.body.code).toBe('NAMESPACE_NOT_INCLUDED');
    });

    it('repeats the first reply for a repeated idempotency key', async () => {
      const key = { 'idempotency-key': 'create-once' };
      const first = await create([doors()]).set(key).expect(201);
      const second = await create([doors()]).set(key).expect(201);
      expect(second.body).toEqual(first.body);
    });
  });
});

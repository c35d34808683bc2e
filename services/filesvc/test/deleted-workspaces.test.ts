import { describe, expect, it } from '@jest/globals';
import { createOutbox } from '@dtplatform/queue';
import { eventually } from '@dtplatform/testing';
import { createDomainEvents } from '../src/events/domain-events.store.js';
import { namespaceJobs } from '../src/files/files.module.js';
import { createNamespaceContents, createTreeRemoval } from '../src/trees/tree-removal.store.js';
import { app, client, collect, file, folder, olga, stored } from './app.js';
import { NS } from './start-app.js';

const OTHER = 'bridge_2';
const BOTH = { _namespaces: `${NS},${OTHER}` };

await app.grants.allow('olga', OTHER, '*:*:*', ['*']);
await app.startWorker();
const usage = await collect();

describe('a deleted workspace', () => {
  const collection = (name: string) => app.mongo.db.collection(name);
  const count = (name: string, filter: object = {}) => collection(name).countDocuments(filter);
  const announce = (...namespaces: string[]) =>
    app.mongo.transaction((session) =>
      createOutbox(app.mongo).put(session, namespaceJobs.messages['workspace.deleted.v1'], {
        _id: 'a'.repeat(24),
        _namespaces: namespaces,
      }),
    );
  const isSettled = async () => {
    expect(await count('files', { _namespaces: NS })).toBe(0);
    expect(await count('outbox')).toBe(0);
  };
  const total = async (namespace: string, namespaces = namespace) => {
    const query = { nsfilter: namespace, _namespaces: namespaces, _pageSize: 0 };
    return (await olga.get('', query).expect(200)).body._total as number;
  };

  it('loses its files with versions, uploads, content and usage', async () => {
    const outer = await folder('outer');
    const inner = await folder('inner', { _parents: outer });
    const model = await file('model.ifc', { _parents: inner });
    await file('model.ifc', { _parents: inner });
    const plan = await file('plan.pdf');
    const known = await collection('file_versions')
      .find({ _fileId: { $in: [model, plan] } })
      .toArray();
    const keys = known.map(({ internal }) => (internal as { key: string }).key);
    expect(keys).toHaveLength(3);
    const preview = `previews/${await stored.addPreview(plan, 7)}`;
    await app.deps.objects.put(preview, Buffer.from('preview'));
    const upload = await client.begin('large.bin', 20 * 1024 * 1024);
    await client.patch(upload, Buffer.alloc(9 * 1024 * 1024)).expect(200);
    // An upload of a new version.
    await client.initiate('plan.pdf', 5).expect(201);
    const { key, multipartId } = (await collection('uploads').findOne({ fileId: upload })) as unknown as {
      key: string;
      multipartId: string;
    };
    await eventually(() => {
      expect(usage.amount('FileVersionCount')).toBe(3);
      expect(usage.amount('PreviewImageFileSize')).toBe(7);
    });

    await announce(NS);
    await eventually(isSettled);
    for (const name of ['files', 'file_versions', 'uploads']) expect(await count(name)).toBe(0);
    for (const each of [...keys, preview]) expect(await app.deps.objects.head(each)).toBeUndefined();
    const part = app.deps.objects.multipart.uploadPart(key, multipartId, 1, Buffer.from('x'));
    await expect(part).rejects.toThrow();
    expect(await total(NS)).toBe(0);
    await eventually(() => {
      for (const metric of ['FileCount', 'FileVersionCount', 'FileVersionSize', 'PreviewImageFileSize'])
        expect(usage.amount(metric)).toBe(0);
    });
  });

  it('keeps files that are also in another workspace', async () => {
    const shared = await folder('shared', BOTH);
    const below = await file('shared.txt', { ...BOTH, _parents: shared });
    const here = await file('here.txt', { _parents: shared });
    const root = await file('root.txt', BOTH);
    const before = (await olga.get(`/${root}`).expect(200)).headers.etag;
    await eventually(() => expect(usage.amount('FileCount', { namespace: OTHER })).toBe(2));

    await announce(NS);
    await eventually(isSettled);
    const left = (await olga.get('', { nsfilter: OTHER, _namespaces: OTHER }).expect(200)).body;
    expect(left._list.map(({ _id }: { _id: string }) => _id)).toEqual([shared, below, root]);
    for (const { _namespaces } of left._list) expect(_namespaces).toEqual([OTHER]);
    expect(await stored.exists(here)).toBe(0);
    expect(await count('files', { 'internal.home': { $ne: OTHER } })).toBe(0);
    const read = await olga.get(`/${below}/content`, { nsfilter: OTHER }).expect(200);
    expect(read.text).toBe('shared.txt');
    expect((await olga.get(`/${root}`, { nsfilter: OTHER }).expect(200)).headers.etag).not.toBe(before);
    // Its names are free, and it is still at the root of the other.
    const roots = await olga.get('', { nsfilter: OTHER, _namespaces: OTHER, _parents: 'root' }).expect(200);
    expect(roots.body._total).toBe(2);
    await file('root.txt');
    expect([await total(NS), await total(OTHER)]).toEqual([1, 3]);
    await eventually(() => {
      expect(usage.amount('FileCount')).toBe(1);
      expect(usage.amount('FileCount', { namespace: OTHER })).toBe(2);
    });
    // Nothing is in several namespaces any more, so totals of both are added up.
    expect(await total(NS, `${NS},${OTHER}`)).toBe(4);
  });

  it('loses thousands of versions of a file in batches, reported in messages of bounded size', async () => {
    const [shared, own] = [await file('old in both.txt', BOTH), await file('old.txt')];
    for (const id of [shared, own]) await stored.addOlderVersions(id, 2100);
    const contents = createNamespaceContents(app.mongo, createTreeRemoval(app.mongo, createDomainEvents(app.mongo)));
    expect(await contents.removeBatch([NS])).toBe(true);
    expect(await count('file_versions', { _fileId: own })).toBe(101);
    await announce(NS);
    await eventually(isSettled, { timeoutMs: 90_000 });
    const left = (_fileId: string) => count('file_versions', { _fileId });
    expect([await left(own), await left(shared)]).toEqual([0, 2101]);
    const counted = (file_id: string) => usage.amount('FileVersionCount', { dimensions: { file_id } });
    await eventually(() => expect([own, shared].map(counted)).toEqual([-2100, -2100]));
    expect(usage.largestMessage()).toBeLessThanOrEqual(4000);
  }, 120_000);

  it('may be announced more than once, with several namespaces', async () => {
    const both = await folder('both', BOTH);
    await stored.copies(await file('model', { _parents: both }), 104);
    await Promise.all([announce(NS), announce(NS, OTHER)]);
    await eventually(
      async () => {
        await isSettled();
        expect(await count('files')).toBe(0);
      },
      { timeoutMs: 100_000 },
    );
    expect(await count('file_versions')).toBe(0);
    // The copies were never counted.
    await eventually(async () => expect([await total(NS), await total(OTHER)]).toEqual([-104, 0]));
  }, 120_000);
});

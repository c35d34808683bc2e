import { describe, expect, it } from '@jest/globals';
import { GRAPHICS_TAG, UsageRecount } from '@dtplatform/contracts';
import type { UsageChange } from '@dtplatform/contracts';
import { eventually, seededNumbers, testSeed } from '@dtplatform/testing';
import { app, client, olga, stored } from './app.js';
import { NS } from './start-app.js';

const PATH = '/filesvc/api/v1/usage';
const OTHER = 'annex_2';
const SEED = testSeed();
const STEPS = 120;
const LAST = 'f'.repeat(24);

function sumsOf(changes: UsageChange[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { _metric, _dimensions, _amount } of changes) {
    const key = [_metric.replace('dtplatform.filesvc.', ''), ...Object.values(_dimensions)].join(' ');
    sums[key] = (sums[key] ?? 0) + _amount;
  }
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0));
}

await app.grants.allow('olga', OTHER, '*:*:*', ['*']);
const trusted = await app.as('platform', 'trusted');

describe('a recount of usage', () => {
  const recount = async (query: object): Promise<UsageRecount> =>
    UsageRecount.parse((await app.api.get(PATH).query(query).set({ authorization: trusted }).expect(200)).body);
  /** All usage reported so far: no relay runs. */
  const reported = async (namespace: string) => {
    const entries = await app.mongo.db.collection('outbox').find({ queue: 'metricsvc.usage' }).toArray();
    const own = entries.filter(({ payload }) => payload._namespace === namespace);
    return sumsOf(own.flatMap(({ payload }) => payload._changes as UsageChange[]));
  };

  /** One random operation. It may be rejected but must not fail. */
  async function step(random: (below: number) => number, known: { files: string[]; folders: string[] }) {
    const [file, folder] = [known.files[random(20)], known.folders[random(4)]];
    const sent = async (response: PromiseLike<{ status: number; body: unknown }>) => {
      const { status, body } = await response;
      if (status >= 500) throw new Error(`${status} ${JSON.stringify(body)}`);
      return { status, body };
    };
    const tags = ['', GRAPHICS_TAG][random(2)]!;
    const kinds: (() => Promise<unknown>)[] = [
      // A taken name makes a new version.
      ...[0, 1, 2].map(() => async () => {
        const _namespaces = [NS, `${NS},${OTHER}`][random(2)]!;
        const place: Record<string, string> = folder && random(2) > 0 ? { _parents: folder } : { _namespaces };
        const more = { ...(tags && { _tags: tags }), ...place };
        const content = 'x'.repeat(random(300));
        const { status, body } = await sent(olga.upload(`file-${random(15)}.txt`, content, more));
        if (status === 201) known.files.push((body as { _id: string }[])[0]!._id);
      }),
      async () => {
        const { status, body } = await sent(client.initiate(`file-${random(15)}.txt`, 5));
        if (status === 201) await sent(client.patch((body as { _id: string })._id, Buffer.from('hello')));
      },
      async () => {
        const { status, body } = await sent(olga.folder(`folder-${random(3)}`));
        if (status === 200) known.folders.push((body as { _id: string })._id);
      },
      async () => file && sent(olga.put(file, { _name: `renamed-${random(1000)}`, _tags: tags ? [tags] : [] })),
      async () => file && sent(olga.put(file, { _name: `moved-${random(1000)}`, _parents: folder ? [folder] : [] })),
      async () => {
        const version = await app.mongo.db.collection('file_versions').findOne({ _fileId: file });
        if (version) await sent(olga.remove(`${file!}/versions/${String(version._id)}`));
      },
      async () => file && (await hasVersion(file)) && stored.addPreview(file, random(100)),
      async () => random(2) > 0 && file && sent(olga.remove(file)),
      async () => random(4) === 0 && folder && sent(olga.remove(folder)),
    ];
    await kinds[random(kinds.length)]!();
  }
  const hasVersion = async (_fileId: string) =>
    (await app.mongo.db.collection('file_versions').countDocuments({ _fileId })) > 0;

  it(`equals the reported usage after random operations (TEST_SEED=${SEED})`, async () => {
    const random = seededNumbers(SEED);
    const known = { files: [], folders: [] };
    for (let n = 0; n < STEPS; n++) await step(random, known);
    for (const namespace of [NS, OTHER]) {
      const whole = await recount({ namespace });
      expect(whole._until).toBe(LAST);
      const owners = await recount({ namespace, after: '', until: LAST });
      expect([whole._isComplete, owners._isComplete, owners._until]).toEqual([true, true, undefined]);
      const sums = sumsOf([...whole._changes, ...owners._changes]);
      expect(Object.keys(sums).length).toBeGreaterThan(namespace === NS ? 10 : 0);
      expect(sums).toEqual(await reported(namespace));
      expect(sumsOf(whole._waiting.flatMap(({ _changes }) => _changes))).toEqual(sums);
    }
  }, 120_000);

  it('omits messages that metricsvc has processed', async () => {
    const namespace = 'quiet_1';
    await app.grants.allow('olga', namespace, '*:*:*', ['*']);
    const upload = olga.upload('quiet.txt', 'quiet', { _namespaces: namespace });
    await upload.query({ nsfilter: namespace }).expect(201);
    expect((await recount({ namespace }))._waiting).toHaveLength(1);
    await app.mongo.db.collection('outbox').deleteMany({ 'payload._namespace': namespace });
    await eventually(async () => expect((await recount({ namespace }))._waiting).toEqual([]));
    expect(sumsOf((await recount({ namespace }))._changes)).toEqual({ FileCount: 1 });
  });

  const many = Array.from({ length: 10_001 }, (_, n) => ({ _id: `w${n}`, queue: 'other' }));
  const change = { _metric: 'm', _dimensions: { version: 'v'.repeat(200) }, _amount: 1 };
  const large = Array.from({ length: 50 }, (_, n) => ({
    ...{ _id: `l${n}`, queue: 'metricsvc.usage', name: 'usage.recorded.v1' },
    payload: { _namespace: NS, _at: Date.now(), _changes: Array.from({ length: 1000 }, () => change) },
  }));
  it.each([
    ['many messages wait', many],
    ['large messages wait', large],
  ])('is incomplete when too %s', async (_, waiting) => {
    const outbox = app.mongo.db.collection<{ _id: string }>('outbox');
    await outbox.insertMany(waiting.map((one) => ({ ...one, createdAt: Date.now() })));
    expect(await recount({ namespace: NS })).toMatchObject({ _isComplete: false, _changes: [], _until: LAST });
    await outbox.deleteMany({ _id: { $in: waiting.map(({ _id }) => _id) } });
    expect(await recount({ namespace: NS })).toMatchObject({ _isComplete: true });
  });
});

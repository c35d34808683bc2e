import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { createNormalizer, scriptsIn } from '../src/messages/messages.job.js';
import type { PlacedReading } from '../src/readings/reading.js';
import { ingestionClient, message, NORMALIZE, T0 } from './ingestion-client.js';
import { ITEMS, NS, OTHER } from './item-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { CONFIGS } from './telemetry-client.js';

let app: TestApp;
let owner: { authorization: string };

beforeAll(async () => {
  app = await startApp();
  owner = await app.caller('olga', NS);
  await app.caller('olga', OTHER);
});
afterAll(() => app.stop());

describe('messages of devices', () => {
  let worker: { stop: () => Promise<void> };
  const { create, send, ended, outcome, installation, post, readings, letters, ingestionWith } = ingestionClient(
    () => ({
      app,
      owner,
    }),
  );
  const without = (name: string, value: object) =>
    Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));

  beforeAll(async () => {
    worker = await app.startWorker();
  });

  it('become readings of the bound telemetry items', async () => {
    const { collection, config } = await installation();
    const done = await outcome(post(config._id, [message('a', [1, 2]), message('b', ['x']), message('silent')]));
    expect(done).toEqual({ status: 200, body: { _total: 3, _deadLetters: 0 } });
    expect(await readings(collection._id)).toMatchObject([
      { _ts: '2026-01-01T00:00:00.000Z', _tsMetadata: { _sourceId: 'a' }, value: 1 },
      { _ts: '2026-01-01T00:00:00.000Z', _tsMetadata: { _sourceId: 'b' }, value: 'x' },
      { _ts: '2026-01-01T00:00:00.001Z', _tsMetadata: { _sourceId: 'a' }, value: 2 },
    ]);
    expect(await letters(config._id)).toMatchObject({ _total: 0, _list: [] });
    expect(await app.mongo.db.collection('telemetry_messages').countDocuments()).toBe(0);
  });

  it('of one time become readings in the order in which they arrived', async () => {
    const { collection, config } = await installation();
    const locations: string[] = [];
    for (let n = 0; n < 20; n += 2) {
      const response = await post(config._id, [message('a', [n]), message('a', [n + 1])]).expect(202);
      locations.push(response.headers.location!);
    }
    for (const location of locations) await ended(location);
    const values = (await readings(collection._id)).map(({ value }: { value: number }) => value);
    expect(values).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  it('go to the first binding of which they have all fields', async () => {
    const other = await create({ _itemClass: 'NamedTelemetryCollection' });
    await send('post', `${ITEMS}/${other._id}/relateditems`)
      .send([{ _sourceId: 'a' }])
      .expect(201);
    const bindings = [
      { collectionDesc: { _userItemId: other._userItemId }, query: { deviceType: 'thermo', 'site.floor': 2 } },
    ];
    const { collection, config } = await installation({ bindings });
    await outcome(
      post(config._id, [message('a', [1], { site: { floor: 2 } }), message('a', [2], { site: { floor: 3 } })]),
    );
    expect(await readings(other._id)).toMatchObject([{ value: 1 }]);
    expect(await readings(collection._id)).toMatchObject([{ value: 2 }]);
  });

  it.each<[string, string, object, object?]>([
    ['SCRIPT_FAILED', 'THROWN: Error: no such device', message('broken')],
    ['SCRIPT_FAILED', 'TIMED_OUT: ', message('endless')],
    ['SCRIPT_FAILED', 'SYNTAX: ', message('a'), { script: 'function normalize( {' }],
    ['SCRIPT_FAILED', 'NO_FUNCTION: ', message('a'), { script: 'const other = 1' }],
    ['SCRIPT_MISSING', '', message('a'), { script: { text: 'no text' } }],
    ['READINGS_NOT_VALID', '0._ts', message('a', [1], { at: 'never' })],
    ['READINGS_NOT_VALID', '', message('a', [1]), { script: 'const normalize = () => [5]' }],
    [
      'SCRIPT_FAILED',
      'NOT_STORABLE: ',
      message('a'),
      { script: `const normalize = () => ({ _ts: ${T0}, _tsMetadata: { _sourceId: 'a' }, x: { _bsontype: 'y' } })` },
    ],
    [
      'READINGS_NOT_VALID',
      '0._platform: is a reserved name',
      message('a'),
      { script: `const normalize = () => ({ _ts: ${T0}, _tsMetadata: { _sourceId: 'a' }, _platform: 1 })` },
    ],
    ['READINGS_NOT_VALID', '', message('a', Array(1001).fill(1) as number[])],
    ['TELEMETRY_ITEM_MISSING', '', message('c')],
    ['NO_BINDING', '', without('deviceType', message('a'))],
    ['NO_BINDING', '', message('a', [1], { deviceType: 'other' })],
    [
      'READINGS_TOO_LARGE',
      '',
      message('a', [1]),
      { script: `const normalize = () => ({ _ts: ${T0}, _tsMetadata: { _sourceId: 'a' }, x: 'x'.repeat(70000) })` },
    ],
  ])('become dead letters with %s, and the others do not: %s', async (_code, reason, bad, options = {}) => {
    const { collection, config } = await installation(options);
    const isScript = 'script' in options;
    const done = await outcome(post(config._id, isScript ? [bad] : [message('a'), bad, message('b')]));
    expect(done.body).toEqual({ _total: isScript ? 1 : 3, _deadLetters: 1 });
    expect(await letters(config._id)).toEqual({
      _offset: 0,
      _pageSize: 25,
      _total: 1,
      _list: [
        {
          _id: expect.stringMatching(/^[0-9a-f]{24}$/),
          _code,
          _reason: expect.stringContaining(reason),
          _message: bad,
          _receivedAt: expect.any(Number),
          _failedAt: expect.any(Number),
        },
      ],
    });
    expect(await readings(collection._id)).toHaveLength(isScript ? 0 : 2);
  });

  it('become dead letters at once where one holds what cannot be kept; the others do not', async () => {
    const { collection, config } = await installation();
    const bad: [string, string][] = [
      ['{"deviceType":"thermo", "n": [1, 9007199254740993]}', 'cannot be kept exactly; send it as text: n[1]'],
      ['{ "n" : -1e400 }', 'cannot be kept exactly'],
      ['{"a":"]},{\\"","t":"\\ud800"}', 'is not valid Unicode'],
      ['{"_bsontype":"ObjectId"}', 'reserved name'],
    ];
    const entries = bad.flatMap(([text], n) => [text, JSON.stringify(message('a', [n], { text: '\\"],[{' }))]);
    const call = post(config._id, undefined).set('content-type', 'application/json');
    const done = await outcome(call.send(`[${entries.join(' , ')}]`));
    expect(done.body).toEqual({ _total: 8, _deadLetters: 4 });
    const { _list } = await letters(config._id);
    expect(_list.toReversed()).toMatchObject(
      bad.map(([text, reason]) => ({
        _code: 'MESSAGE_NOT_VALID',
        _reason: expect.stringContaining(reason),
        _message: text,
      })),
    );
    expect(await readings(collection._id)).toMatchObject([{ value: 0 }, { value: 1 }, { value: 2 }, { value: 3 }]);
    for (const body of ['[{"a":1e400}', '{"a":1e400}', '5', '']) {
      const rejected = post(config._id, undefined).set('content-type', 'application/json');
      await rejected.send(body).expect(400);
    }
  });

  it('become one dead letter where one cannot be stored, and those before and after it are stored', async () => {
    const { collection, config } = await installation();
    await worker.stop();
    const all = Array.from({ length: 20 }, (_, n) => message('a', [n]));
    const groupId = (await post(config._id, all).expect(202)).headers.location!.split('/').at(-1)!;
    const sandbox = createNormalizer();
    // The driver refuses the key.
    const poisoned = (reading: PlacedReading) =>
      reading.values.value === 12 ? { ...reading, values: { inside: { _bsontype: 'x' } } } : reading;
    const ingestion = ingestionWith(scriptsIn(sandbox), (store) => ({
      ...store,
      commit: ({ stored, ...others }) =>
        store.commit({
          ...others,
          stored: stored.map((one) => ({ ...one, readings: one.readings.map((reading) => poisoned(reading)) })),
        }),
    }));
    await ingestion.run(groupId, new AbortController().signal);
    await sandbox.close();
    worker = await app.startWorker();
    expect((await letters(config._id))._list).toMatchObject([{ _code: 'READINGS_NOT_VALID', _message: all[12] }]);
    const values = (await readings(collection._id)).map(({ value }: { value: number }) => value);
    expect(values).toEqual(all.map((_one, n) => n).filter((n) => n !== 12));
  });

  it('wait where the database refuses their readings for another reason', async () => {
    const { collection, config } = await installation();
    await worker.stop();
    const groupId = (await post(config._id, [message('a', [1])]).expect(202)).headers.location!.split('/').at(-1)!;
    const accept = (validator: object) => app.mongo.db.command({ collMod: 'reading_batches', validator });
    await accept({ never: 1 });
    const sandbox = createNormalizer();
    const ingestion = ingestionWith(scriptsIn(sandbox), (store) => store);
    await expect(ingestion.run(groupId, new AbortController().signal)).rejects.toThrow();
    expect((await letters(config._id))._list).toEqual([]);
    await accept({});
    await ingestion.run(groupId, new AbortController().signal);
    await sandbox.close();
    worker = await app.startWorker();
    expect(await readings(collection._id)).toMatchObject([{ value: 1 }]);
  });

  it.each([
    ['one of them', `const normalize = () => Array(15000).fill({})`],
    ['all together', `const normalize = () => ({ _ts: ${T0}, _tsMetadata: { _sourceId: 'a' }, x: 'x'.repeat(60000) })`],
  ])('are worked on in parts where scripts return much for %s', async (which, script) => {
    const { config } = await installation({ script });
    const outputs: number[] = [];
    const sandbox = createNormalizer();
    const scripts = scriptsIn({
      ...sandbox,
      run: async (...call) => {
        const outcomes = await sandbox.run(...call);
        outputs.push(outcomes.reduce((sum, one) => sum + ('value' in one ? JSON.stringify(one.value).length : 0), 0));
        return outcomes;
      },
    });
    await worker.stop();
    const total = 60;
    const location = (
      await post(
        config._id,
        Array.from({ length: total }, () => message('a')),
      ).expect(202)
    ).headers.location!;
    await ingestionWith(scripts).run(location.split('/').at(-1)!, new AbortController().signal);
    await sandbox.close();
    worker = await app.startWorker();
    const isRejected = which === 'one of them';
    expect(Math.max(...outputs)).toBeLessThan(800_000);
    expect(await letters(config._id)).toMatchObject({ _total: isRejected ? total : 0 });
    if (isRejected) expect((await letters(config._id))._list[0]._reason).toContain('OUTPUT_TOO_LARGE');
    else expect(outputs.length).toBeGreaterThan(1);
  });

  it('whose script never ends become dead letters soon, while those of others are stored', async () => {
    const endless = await installation({ script: 'const normalize = () => { for (;;); }' });
    const { collection, config } = await installation();
    const slow = outcome(
      post(
        endless.config._id,
        Array.from({ length: 200 }, () => message('a')),
      ),
    );
    await outcome(post(config._id, [message('a')]));
    expect(await readings(collection._id)).toHaveLength(1);
    expect((await letters(endless.config._id))._total).toBeLessThan(200);
    expect((await slow).body).toEqual({ _total: 200, _deadLetters: 200 });
    const reasons = (await letters(endless.config._id, { _pageSize: 1000 }))._list.map(
      ({ _reason }: { _reason: string }) => _reason,
    );
    expect(reasons).toHaveLength(200);
    expect(reasons.filter((reason: string) => reason.includes('did not get')).length).toBeGreaterThan(190);
  });

  it('of one namespace never reach collections or scripts of another', async () => {
    const foreign = await create({ _itemClass: 'NamedTelemetryCollection', _namespaces: [OTHER] }, OTHER);
    const { config, _userType } = await installation({ script: null });
    await create({ _itemClass: 'Script', _userType, _namespaces: [OTHER], _version: { _userData: NORMALIZE } }, OTHER);
    await outcome(post(config._id, [message('a')]));
    expect((await letters(config._id))._list).toMatchObject([{ _code: 'SCRIPT_MISSING' }]);
    const bindings = [{ collectionDesc: { _userItemId: foreign._userItemId }, query: { deviceType: 'thermo' } }];
    const other = await installation({ bindings });
    await outcome(post(other.config._id, [message('a')]));
    expect((await letters(other.config._id))._list).toMatchObject([{ _code: 'COLLECTION_MISSING' }]);
  });

  it('use the newest version of the script', async () => {
    const { collection, config, _userType } = await installation({ script: 'const normalize = () => null' });
    const script = await app.mongo.db.collection('items').findOne({ _userType });
    await send('post', `${ITEMS}/${String(script!._id)}/versions`)
      .send({ _userData: NORMALIZE })
      .expect(201);
    await outcome(post(config._id, [message('a')]));
    expect(await readings(collection._id)).toHaveLength(1);
  });

  it('are kept while no worker runs, and stored once by two that run the same messages', async () => {
    const { collection, config } = await installation();
    await worker.stop();
    const location = (
      await post(
        config._id,
        Array.from({ length: 500 }, (_, n) => message(n % 2 ? 'a' : 'b', [n], { at: T0 + n })),
      ).expect(202)
    ).headers.location!;
    const groupId = location.split('/').at(-1)!;
    const sandbox = createNormalizer();
    const never = new AbortController().signal;
    const ingestion = ingestionWith(scriptsIn(sandbox));
    // The first one dies after one batch.
    const dying = new AbortController();
    const crashing = ingestionWith(scriptsIn(sandbox), (store) => ({
      ...store,
      commit: (all) => store.commit(all).finally(() => dying.abort(new Error('killed'))),
    }));
    await expect(crashing.run(groupId, dying.signal)).rejects.toThrow('killed');
    await Promise.all([ingestion.run(groupId, never), ingestion.run(groupId, never)]);
    await sandbox.close();
    const values = (await readings(collection._id)).map(({ value }: { value: number }) => value);
    expect(values).toEqual(Array.from({ length: 500 }, (_, n) => n));
    worker = await app.startWorker();
    await eventually(async () =>
      expect((await send('get', location, {})).body).toMatchObject({ _status: 'COMPLETED', _batchCompleted: 500 }),
    );
    expect(await readings(collection._id)).toHaveLength(500);
  });
});

describe('limits of messages', () => {
  const { send, outcome, createConfig, installation, post, letters, ingestionWith } = ingestionClient(() => ({
    app,
    owner,
  }));

  it.each<[number, unknown]>([
    [400, {}],
    [400, []],
    [400, [1]],
    [400, ['text']],
    [400, [[]]],
    [400, Array.from({ length: 1001 }, () => ({}))],
    [413, [{ text: 'x'.repeat(5_000_000) }]],
  ])('are refused with %d when they are not valid (%#)', async (status, body) => {
    const config = await createConfig();
    await post(config._id, body).expect(status);
  });

  it('are refused while too many wait, and go with their configuration', async () => {
    const { config } = await installation();
    const waiting = app.mongo.db.collection('telemetry_messages');
    const common = { configId: config._id, groupId: 'none', content: '{}', bytes: 2, createdAt: 1, namespaces: [NS] };
    await waiting.insertMany(Array.from({ length: 10_000 }, (_, n) => ({ _id: `m${n}` as never, ...common })));
    const rejected = await post(config._id, [message('a')]).expect(429);
    expect(rejected.headers['retry-after']).toBe('5');
    await outcome(send('delete', `${CONFIGS}/${config._id}`));
    expect(await waiting.countDocuments({ configId: config._id })).toBe(0);
  });

  it('are bounded by bytes in pages and replays of dead letters, and in what the worker reads at once', async () => {
    const { config } = await installation({ script: 'const normalize = () => null' });
    const path = `${CONFIGS}/${config._id}/deadletters`;
    const content = JSON.stringify(message('a', [], { text: 'x'.repeat(900 * 1024) }));
    const fields = { configId: config._id, groupId: 'none', content, bytes: content.length, createdAt: 1 };
    const failed = { ...fields, code: 'NO_BINDING', reason: '', failedAt: new Date() };
    const stored = app.mongo.db.collection('telemetry_dead_letters');
    await stored.insertMany(Array.from({ length: 6 }, (_, n) => ({ _id: `large${n}` as never, ...failed })));
    const rejected = await send('get', path, { nsfilter: NS, _pageSize: 2 }).expect(400);
    expect(rejected.body.code).toBe('PAGE_TOO_LARGE');
    expect((await letters(config._id, { _pageSize: 1 }))._list).toHaveLength(1);
    expect((await outcome(send('post', `${path}/replay`).send({}))).body).toEqual({ _total: 4, _deadLetters: 0 });
    expect((await letters(config._id, { _pageSize: 1 }))._total).toBe(2);

    const waiting = app.mongo.db.collection('telemetry_messages');
    const own = { ...fields, groupId: 'sizes', namespaces: [NS] };
    await waiting.insertMany([1, 2, 3].map((n) => ({ _id: `size${n}` as never, ...own })));
    let read: string[] = [];
    ingestionWith({ normalize: () => Promise.reject(new Error('unused')) }, (store) => {
      void store.nextMessages('sizes').then((found) => (read = found.map(({ _id }) => _id)));
      return store;
    });
    await eventually(() => expect(read).toEqual(['size1']));
    await waiting.deleteMany({ groupId: 'sizes' });
  });

  it('are limited by bytes while they wait, and as dead letters', async () => {
    const { config } = await installation();
    const large = { configId: config._id, groupId: 'none', content: '{}', bytes: 64 * 1024 ** 2, createdAt: 1 };
    const stored = app.mongo.db.collection('telemetry_dead_letters');
    await stored.insertOne({ _id: '0' as never, ...large, code: 'NO_BINDING', reason: '', failedAt: new Date() });
    await outcome(post(config._id, [message('broken')]));
    expect((await letters(config._id))._list).toMatchObject([{ _code: 'SCRIPT_FAILED' }]);
    const other = await installation();
    const waiting = app.mongo.db.collection('telemetry_messages');
    await waiting.insertOne({ _id: 'big' as never, ...large, configId: other.config._id, namespaces: [NS] });
    await post(other.config._id, [message('a')]).expect(429);
    await waiting.deleteOne({ _id: 'big' as never });
  });
});

import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { createNormalizer, scriptsIn } from '../src/messages/messages.job.js';
import { createSlowScripts } from '../src/messages/slow-scripts.js';
import type { PlacedReading } from '../src/readings/reading.js';
import { ingestionClient, message, NORMALIZE, T0 } from './ingestion-client.js';
import { itemClient } from './item-client.js';
import { NS, openApp, OTHER } from './start-app.js';
import { CONFIGS, taskIdIn } from './telemetry-client.js';

const here = await openApp(NS, OTHER);
const { app } = here;
const { createOne, addRows, addVersion } = itemClient(here);
const { send, accepted, ended, outcome, createConfig, installation, post, readings, valuesOf, letters, ingestionWith } =
  ingestionClient(here);
const never = new AbortController().signal;
const sandbox = createNormalizer(1);
afterAll(() => sandbox.close());
let worker = await app.startWorker();

const messages = (count: number, device = 'a') => Array.from({ length: count }, (_, n) => message(device, [n]));
/** Posts messages without a worker. @param ingest processes their group */
async function withoutWorker(configId: string, body: object[], ingest: (groupId: string) => Promise<unknown>) {
  await worker.stop();
  const location = await accepted(post(configId, body));
  await ingest(taskIdIn(location));
  worker = await app.startWorker();
  return location;
}

describe('messages of devices', () => {
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
    expect(await app.stored('telemetry_messages').countDocuments()).toBe(0);
  });

  it('of the same time become readings in order of arrival', async () => {
    const { collection, config } = await installation();
    const locations: string[] = [];
    for (let n = 0; n < 20; n += 2)
      locations.push(await accepted(post(config._id, [message('a', [n]), message('a', [n + 1])])));
    for (const location of locations) await ended(location);
    expect(await valuesOf(collection._id)).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  it('use the first binding whose fields all match', async () => {
    const other = await createOne({ _itemClass: 'NamedTelemetryCollection' });
    await addRows(other._id, [{ _sourceId: 'a' }]);
    const query = { deviceType: 'thermo', 'site.floor': 2 };
    const bindings = [{ collectionDesc: { _userItemId: other._userItemId }, query }];
    const { collection, config } = await installation({ bindings });
    const onFloor = (floor: number, value: number) => message('a', [value], { site: { floor } });
    await outcome(post(config._id, [onFloor(2, 1), onFloor(3, 2)]));
    expect(await valuesOf(other._id)).toEqual([1]);
    expect(await valuesOf(collection._id)).toEqual([2]);
  });

  const returning = (fields: string) =>
    `const normalize = () => ({ _ts: ${T0}, _tsMetadata: { _sourceId: 'a' }, ${fields} })`;
  const { deviceType, ...untyped } = message('a');
  it.each<[string, string, object, object?]>([
    ['SCRIPT_FAILED', 'THROWN: Error: no such device', message('broken')],
    ['SCRIPT_FAILED', 'SYNTAX: ', message('a'), { script: 'function normalize( {' }],
    ['SCRIPT_FAILED', 'NOT_STORABLE: ', message('a'), { script: returning(`x: { _bsontype: 'y' }`) }],
    ['SCRIPT_MISSING', '', message('a'), { script: { text: 'no text' } }],
    ['READINGS_NOT_VALID', '0._ts', message('a', [1], { at: 'never' })],
    ['READINGS_NOT_VALID', '0._platform: is a reserved name', message('a'), { script: returning('_platform: 1') }],
    ['READINGS_NOT_VALID', '', message('a', Array(1001).fill(1))],
    ['TELEMETRY_ITEM_MISSING', '', message('c')],
    ['NO_BINDING', '', untyped],
    ['READINGS_TOO_LARGE', '', message('a'), { script: returning(`x: 'x'.repeat(70000)`) }],
  ])('become dead letters with the code %s, without affecting others: %s', async (_code, reason, bad, options = {}) => {
    const { collection, config } = await installation(options);
    const isScript = 'script' in options;
    const done = await outcome(post(config._id, isScript ? [bad] : [message('a'), bad, message('b')]));
    expect(done.body).toEqual({ _total: isScript ? 1 : 3, _deadLetters: 1 });
    const letter = {
      ...{ _id: expect.stringMatching(/^[0-9a-f]{24}$/), _code, _reason: expect.stringContaining(reason) },
      ...{ _message: bad, _receivedAt: expect.any(Number), _failedAt: expect.any(Number) },
    };
    expect(await letters(config._id)).toEqual({ _offset: 0, _pageSize: 25, _total: 1, _list: [letter] });
    expect(await readings(collection._id)).toHaveLength(isScript ? 0 : 2);
  });

  it('become dead letters immediately if they cannot be kept, without affecting others', async () => {
    const { collection, config } = await installation();
    const bad: [string, string][] = [
      ['{"deviceType":"thermo", "n": [1, 9007199254740993]}', 'cannot be represented exactly; send it as text: n[1]'],
      ['{"a":"]},{\\"","t":"\\ud800"}', 'is not valid Unicode'],
    ];
    const entries = bad.flatMap(([text], n) => [text, JSON.stringify(message('a', [n], { text: '\\"],[{' }))]);
    const call = post(config._id, undefined).set('content-type', 'application/json');
    const done = await outcome(call.send(`[${entries.join(' , ')}]`));
    expect(done.body).toEqual({ _total: 4, _deadLetters: 2 });
    const expected = bad.map(([_message, reason]) => ({
      ...{ _code: 'MESSAGE_NOT_VALID', _reason: expect.stringContaining(reason), _message },
    }));
    expect((await letters(config._id))._list.toReversed()).toMatchObject(expected);
    expect(await valuesOf(collection._id)).toEqual([0, 1]);
  });

  it('become dead letters if MongoDB cannot store them, without affecting others of the batch', async () => {
    const { collection, config } = await installation();
    const all = messages(20);
    // The driver rejects the key.
    const poisoned = (reading: PlacedReading) =>
      reading.values.value === 12 ? { ...reading, values: { inside: { _bsontype: 'x' } } } : reading;
    const ingestion = ingestionWith(scriptsIn(sandbox), (store) => ({
      ...store,
      commit: ({ stored, ...others }) => {
        const changed = stored.map((one) => ({ ...one, readings: one.readings.map((reading) => poisoned(reading)) }));
        return store.commit({ ...others, stored: changed });
      },
    }));
    await withoutWorker(config._id, all, (groupId) => ingestion.run(groupId, never));
    expect((await letters(config._id))._list).toMatchObject([{ _code: 'READINGS_NOT_VALID', _message: all[12] }]);
    expect(await valuesOf(collection._id)).toEqual(all.map((_one, n) => n).filter((n) => n !== 12));
  });

  it('wait if MongoDB rejects their readings for another reason', async () => {
    const { collection, config } = await installation();
    const accept = (validator: object) => app.mongo.db.command({ collMod: 'reading_batches', validator });
    const ingestion = ingestionWith(scriptsIn(sandbox));
    await withoutWorker(config._id, messages(1), async (groupId) => {
      await accept({ never: 1 });
      await expect(ingestion.run(groupId, never)).rejects.toThrow();
      expect((await letters(config._id))._list).toEqual([]);
      await accept({});
      await ingestion.run(groupId, never);
    });
    expect(await valuesOf(collection._id)).toEqual([0]);
  });

  it.each([
    ['one message', `const normalize = () => Array(15000).fill({})`],
    ['all together', returning(`x: 'x'.repeat(60000)`)],
  ])('are processed in parts if scripts return much for %s', async (which, script) => {
    const { config } = await installation({ script });
    const outputs: number[] = [];
    const scripts = scriptsIn({
      ...sandbox,
      run: async (...call) => {
        const outcomes = await sandbox.run(...call);
        outputs.push(outcomes.reduce((sum, one) => sum + ('value' in one ? JSON.stringify(one.value).length : 0), 0));
        return outcomes;
      },
    });
    await withoutWorker(config._id, messages(60), (groupId) => ingestionWith(scripts).run(groupId, never));
    expect(Math.max(...outputs)).toBeLessThan(800_000);
    const { _total, _list } = await letters(config._id);
    expect(_total).toBe(which === 'one message' ? 60 : 0);
    if (_total > 0) expect(_list[0]._reason).toContain('OUTPUT_TOO_LARGE');
    else expect(outputs.length).toBeGreaterThan(1);
  });

  it('soon become dead letters if their script never ends, without blocking those of others', async () => {
    const endless = await installation({ script: 'const normalize = () => { for (;;); }' });
    const { collection, config } = await installation();
    const slow = outcome(post(endless.config._id, messages(200)));
    await outcome(post(config._id, [message('a')]));
    expect(await readings(collection._id)).toHaveLength(1);
    expect((await letters(endless.config._id))._total).toBeLessThan(200);
    expect((await slow).body).toEqual({ _total: 200, _deadLetters: 200 });
    const { _list } = await letters(endless.config._id, { _pageSize: 1000 });
    const reasons: string[] = _list.map(({ _reason }: { _reason: string }) => _reason);
    expect(reasons).toHaveLength(200);
    expect(reasons.filter((reason) => reason.includes('did not process')).length).toBeGreaterThan(190);
  });

  it('use no collections or scripts of other namespaces', async () => {
    const elsewhere = itemClient(here, OTHER);
    const inOther = (more: object) => elsewhere.createOne({ _namespaces: [OTHER], ...more });
    const { config, _userType } = await installation({ script: null });
    await inOther({ _itemClass: 'Script', _userType, _version: { _userData: NORMALIZE } });
    await outcome(post(config._id, [message('a')]));
    expect((await letters(config._id))._list).toMatchObject([{ _code: 'SCRIPT_MISSING' }]);
    const { _userItemId } = await inOther({ _itemClass: 'NamedTelemetryCollection' });
    const bindings = [{ collectionDesc: { _userItemId }, query: { deviceType: 'thermo' } }];
    const other = await installation({ bindings });
    await outcome(post(other.config._id, [message('a')]));
    expect((await letters(other.config._id))._list).toMatchObject([{ _code: 'COLLECTION_MISSING' }]);
  });

  it('use the latest version of the script', async () => {
    const { collection, config, _userType } = await installation({ script: 'const normalize = () => null' });
    const { _id } = (await app.stored('items').findOne({ _userType }))!;
    await addVersion(_id, { _userData: NORMALIZE });
    await outcome(post(config._id, [message('a')]));
    expect(await readings(collection._id)).toHaveLength(1);
  });

  it('are stored once after a crash, by two concurrent workers', async () => {
    const { collection, config } = await installation();
    const all = Array.from({ length: 500 }, (_, n) => message(n % 2 ? 'a' : 'b', [n], { at: T0 + n }));
    const ingestion = ingestionWith(scriptsIn(sandbox));
    // Dies after one batch.
    const dying = new AbortController();
    const crashing = ingestionWith(scriptsIn(sandbox), (store) => ({
      ...store,
      commit: (batch) => store.commit(batch).finally(() => dying.abort(new Error('killed'))),
    }));
    const location = await withoutWorker(config._id, all, async (groupId) => {
      await expect(crashing.run(groupId, dying.signal)).rejects.toThrow('killed');
      await Promise.all([ingestion.run(groupId, never), ingestion.run(groupId, never)]);
      expect(await valuesOf(collection._id)).toEqual(all.map((_one, n) => n));
    });
    expect(await ended(location)).toMatchObject({ _status: 'COMPLETED', _batchCompleted: 500 });
    expect(await readings(collection._id)).toHaveLength(500);
  });
});

describe('dead letters', () => {
  it('are listed newest first, replayed and deleted', async () => {
    const { collection, config } = await installation();
    const sent = [1, 2, 3, 4].map((n) => message(`late${n}`, [n]));
    await outcome(post(config._id, sent));
    const all = await letters(config._id);
    expect(all._list).toMatchObject(sent.toReversed().map((_message) => ({ _message })));
    const page = await letters(config._id, { _pageSize: 1, _offset: 1 });
    expect(page).toMatchObject({ _total: 4, _list: [{ _id: all._list[1]._id }] });
    const sources = [1, 2, 3].map((n) => ({ _sourceId: `late${n}` }));
    await addRows(collection._id, sources);
    const path = `${CONFIGS}/${config._id}/deadletters`;
    const replay = (body: object) => send('post', `${path}/replay`).send(body);
    expect((await outcome(replay({ _ids: [all._list[3]._id] }))).body).toEqual({ _total: 1, _deadLetters: 0 });
    expect(await valuesOf(collection._id)).toEqual([1]);
    await send('delete', `${path}/${all._list[2]._id}`).expect(204);
    await send('delete', `${path}/${all._list[2]._id}`).expect(404);
    expect((await outcome(replay({}))).body).toEqual({ _total: 2, _deadLetters: 1 });
    // Both may have arrived at the same time.
    expect((await valuesOf(collection._id)).sort()).toEqual([1, 3]);
    const [left] = (await letters(config._id))._list;
    await send('delete', path, { nsfilter: NS, _ids: left._id }).expect(204);
    await replay({}).expect(404);
    await replay({ _ids: ['x'] }).expect(400);
    await send('delete', path).expect(400);
  });
});

describe('limits of messages', () => {
  const waiting = app.stored('telemetry_messages');
  const deadLetters = app.stored('telemetry_dead_letters');

  it('reject bodies with other values, or with too many or too long ones', async () => {
    const { _id } = await createConfig();
    for (const body of [{ a: 1 }, [1], Array(1001).fill({})]) await post(_id, body).expect(400);
    await post(_id, [{ text: 'x'.repeat(5_000_000) }]).expect(413);
  });

  it('reject messages with a 429 while too many of a configuration wait, until it is deleted', async () => {
    const { config } = await installation();
    const common = { configId: config._id, groupId: 'none', content: '{}', bytes: 2, createdAt: 1, namespaces: [NS] };
    await waiting.insertMany(Array.from({ length: 10_000 }, (_, n) => ({ _id: `m${n}`, ...common })));
    const rejected = await post(config._id, [message('a')]).expect(429);
    expect(rejected.headers['retry-after']).toBe('5');
    await outcome(send('delete', `${CONFIGS}/${config._id}`));
    expect(await waiting.countDocuments({ configId: config._id })).toBe(0);
  });

  it('bound the bytes of pages and replays of dead letters, and of batches of the worker', async () => {
    const { config } = await installation({ script: 'const normalize = () => null' });
    const path = `${CONFIGS}/${config._id}/deadletters`;
    const content = JSON.stringify(message('a', [], { text: 'x'.repeat(900 * 1024) }));
    const fields = { configId: config._id, groupId: 'none', content, bytes: content.length, createdAt: 1 };
    const failed = { ...fields, code: 'NO_BINDING', reason: '', failedAt: new Date() };
    await deadLetters.insertMany(Array.from({ length: 6 }, (_, n) => ({ _id: `large${n}`, ...failed })));
    const rejected = await send('get', path, { nsfilter: NS, _pageSize: 2 }).expect(400);
    expect(rejected.body.code).toBe('PAGE_TOO_LARGE');
    expect((await letters(config._id, { _pageSize: 1 }))._list).toHaveLength(1);
    expect((await outcome(send('post', `${path}/replay`).send({}))).body).toEqual({ _total: 4, _deadLetters: 0 });
    expect((await letters(config._id, { _pageSize: 1 }))._total).toBe(2);

    const own = { ...fields, groupId: 'sizes', namespaces: [NS] };
    await waiting.insertMany([1, 2, 3].map((n) => ({ _id: `size${n}`, ...own })));
    let read: string[] = [];
    ingestionWith({ normalize: () => Promise.reject(new Error('unused')) }, (store) => {
      void store.nextMessages('sizes').then((found) => (read = found.map(({ _id }) => _id)));
      return store;
    });
    await eventually(() => expect(read).toEqual(['size1']));
    await waiting.deleteMany({ groupId: 'sizes' });
  });

  it('bound the bytes of waiting messages and of dead letters', async () => {
    const { config } = await installation();
    const large = { configId: config._id, groupId: 'none', content: '{}', bytes: 64 * 1024 ** 2, createdAt: 1 };
    await deadLetters.insertOne({ _id: '0', ...large, code: 'NO_BINDING', reason: '', failedAt: new Date() });
    await outcome(post(config._id, [message('broken')]));
    expect((await letters(config._id))._list).toMatchObject([{ _code: 'SCRIPT_FAILED' }]);
    const other = await installation();
    await waiting.insertOne({ _id: 'big', ...large, configId: other.config._id, namespaces: [NS] });
    await post(other.config._id, [message('a')]).expect(429);
    await waiting.deleteOne({ _id: 'big' as never });
  });
});

describe('groups of a configuration', () => {
  it('do not wait while its script is fast', () => {
    const scripts = createSlowScripts();
    const turn = scripts.begin('a');
    turn.took(20);
    expect([scripts.waitMs('a'), turn.waitMs()]).toEqual([undefined, undefined]);
  });

  it('wait for each other, increasingly long, while its script is slow', () => {
    const scripts = createSlowScripts();
    const [first, second] = [scripts.begin('a'), scripts.begin('a')];
    first.took(1500);
    expect(second.waitMs()).toBe(1000);
    second.end();
    expect(first.waitMs()).toBeUndefined();
    expect([scripts.waitMs('a'), scripts.waitMs('a'), scripts.waitMs('b')]).toEqual([1000, 2000, undefined]);
    first.end();
    expect(scripts.waitMs('a')).toBeUndefined();
  });
});

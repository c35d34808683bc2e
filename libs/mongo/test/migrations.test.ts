import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@dtplatform/logging';
import { defineModel, defineSchema, id, migrateDatabase, requireSchema } from '../src/index.js';
import type { MigrateOptions, Migration, AnyModel, Mongo, Schema } from '../src/index.js';
import { connectTo, connectToFreshDatabase, eventually } from './support.js';

let mongo: Mongo;
beforeEach(async () => {
  mongo = await connectToFreshDatabase();
});
afterEach(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

/** A collection with an index on each of the fields. */
function collection(name: string, ...fields: string[]): AnyModel {
  const model = defineModel<{ _id: string }>(name, { _id: id }, { open: true });
  for (const field of fields) model.schema.index({ [field]: 1 }, { name: field });
  return model;
}
const schemaOf = (...migrations: Migration[]): Schema => defineSchema({ models: [], migrations });
const never = new AbortController().signal;
const options: MigrateOptions = { version: '1.2.3', log: silentLogger(), signal: never };
const migrate = (schema: Schema, more: Partial<MigrateOptions> = {}) =>
  migrateDatabase(mongo, schema, { ...options, ...more });

/** What was started, in order. */
let begun: string[] = [];
beforeEach(() => {
  begun = [];
});
const step = (id: string, up: Migration['up'] = async () => undefined): Migration => ({
  id,
  up: async (db, signal) => {
    begun.push(id);
    await up(db, signal);
  },
});
/** A step that ends when the test says so. */
function heldStep(id: string) {
  let release = (): void => undefined;
  let given: AbortSignal | undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const held = step(id, async (_db, signal) => {
    given = signal;
    await released;
  });
  return { step: held, release, isTold: () => given?.aborted };
}
const ledger = () =>
  mongo.db
    .collection<{ _id: string; version: string; at: Date; durationMs: number }>('migrations')
    .find()
    .sort({ _id: 1 })
    .toArray();
/** Simulates a claim of the lease by another process. */
const leaseIsTaken = (until: Date) =>
  mongo.db
    .collection<{ _id: string }>('leases')
    .updateOne({ _id: 'migration' }, { $set: { until }, $inc: { fence: 1 } });
const recorded = async () => (await ledger()).map(({ _id }) => _id);

describe('schema', () => {
  it.each([['1-first'], ['0001'], ['0001_first'], ['0001-First'], ['first']])('has no migration named %s', (id) => {
    expect(() => schemaOf(step(id))).toThrow(id);
  });

  it.each([[['0002-b', '0001-a']], [['0001-a', '0001-b']]])('has its migrations in order, unlike %j', (ids) => {
    expect(() => schemaOf(...ids.map((id) => step(id)))).toThrow(ids[1]);
  });

  it('differs with other indexes or migrations, and only then', () => {
    const first = defineSchema({ models: [collection('things')], migrations: [step('0001-a')] });
    expect(defineSchema({ models: [collection('things')], migrations: [step('0001-a')] }).id).toBe(first.id);
    expect(defineSchema({ models: [collection('others')], migrations: [step('0001-a')] }).id).not.toBe(first.id);
    expect(defineSchema({ models: [collection('things')], migrations: [] }).id).not.toBe(first.id);
  });
});

describe('migration', () => {
  it('that fails ends the run; the next run repeats it and continues with the ones after it', async () => {
    let isBroken = true;
    const broken = step('0002-b', async () => {
      if (isBroken) throw new Error('the disk is full');
    });
    const schema = schemaOf(step('0001-a'), broken, step('0003-c'));
    await expect(migrate(schema)).rejects.toThrow('the disk is full');
    await expect(requireSchema(mongo, schema)).rejects.toThrow(/not been migrated/);
    expect(await recorded()).toEqual(['0001-a']);

    isBroken = false;
    await migrate(schema);
    await requireSchema(mongo, schema);
    expect(begun).toEqual(['0001-a', '0002-b', '0002-b', '0003-c']);
  });

  it('runs once, in order, and its id, version and time are recorded', async () => {
    const schema = schemaOf(step('0001-a'), step('0002-b'));
    await migrate(schema);
    await migrate(schema, { version: '9.9.9' });
    expect(begun).toEqual(['0001-a', '0002-b']);
    const entry = { version: '1.2.3', at: expect.any(Date), durationMs: expect.any(Number), baseline: 1 };
    expect(await ledger()).toEqual([
      { _id: '0001-a', ...entry },
      { _id: '0002-b', ...entry },
      { _id: schema.id, ...entry },
    ]);
  });

  it('runs once, however many processes migrate concurrently', async () => {
    const slow = step('0001-a', async (db) => void (await db.collection('things').insertOne({})));
    const schema = defineSchema({ models: [collection('things', 'n')], migrations: [slow] });
    const others = await Promise.all(Array.from({ length: 3 }, () => connectTo(mongo.db.databaseName)));
    try {
      await Promise.all([mongo, ...others].map((one) => migrateDatabase(one, schema, options)));
    } finally {
      await Promise.all(others.map((other) => other.close()));
    }
    expect(begun).toEqual(['0001-a']);
    expect(await mongo.db.collection('things').countDocuments()).toBe(1);
  });

  it('keeps others out for longer than a lease lasts', async () => {
    const { step: long, release } = heldStep('0001-long');
    const schema = schemaOf(long);
    const leaseTtlMs = 1_500;
    const first = migrate(schema, { leaseTtlMs });
    await eventually(async () => expect(begun).toHaveLength(1));
    const leases = mongo.db.collection<{ until: Date }>('leases');
    const { until } = (await leases.findOne())!;
    const second = migrate(schema, { leaseTtlMs });
    // Renewed past its former end; without that, the second would have it by then.
    await eventually(async () => {
      expect((await leases.findOne())!.until.getTime()).toBeGreaterThan(until.getTime() + leaseTtlMs);
    });
    release();
    await Promise.all([first, second]);
    expect(begun).toEqual(['0001-long']);
  });

  it('is left to the process that took it over, and earlier steps count', async () => {
    const { step: long, release, isTold } = heldStep('0001-long');
    const schema = schemaOf(long, step('0002-b'));
    const first = migrate(schema, { leaseTtlMs: 600 });
    await eventually(async () => expect(begun).toHaveLength(1));
    // Simulates a pause so long that another process holds the lease.
    await leaseIsTaken(new Date(Date.now() + 60_000));
    await eventually(async () => expect(isTold()).toBe(true));
    release();
    await eventually(async () => expect(await recorded()).toEqual(['0001-long']));
    expect(begun).toEqual(['0001-long']);
    await leaseIsTaken(new Date(0));
    await first;
    expect(begun).toEqual(['0001-long', '0002-b']);
  });

  it('that obeys its signal when its lease is lost waits for the new holder, and is repeated', async () => {
    let first: AbortSignal | undefined;
    const heedful = step('0001-long', async (_db, signal) => {
      if (first) return;
      first = signal;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      signal.throwIfAborted();
    });
    const running = migrate(schemaOf(heedful), { leaseTtlMs: 600 });
    running.catch(() => undefined);
    await eventually(async () => expect(begun).toHaveLength(1));
    await leaseIsTaken(new Date(Date.now() + 60_000));
    await eventually(async () => expect(first?.aborted).toBe(true));
    await leaseIsTaken(new Date(0));
    await running;
    expect(begun).toEqual(['0001-long', '0001-long']);
  });

  it('stops between two steps when asked to, and is then incomplete', async () => {
    const { step: long, release } = heldStep('0001-long');
    const schema = schemaOf(long, step('0002-b'));
    const stopping = new AbortController();
    const running = migrate(schema, { signal: stopping.signal });
    await eventually(async () => expect(begun).toHaveLength(1));
    stopping.abort(new Error('stopped'));
    release();
    await expect(running).rejects.toThrow('stopped');
    expect(begun).toEqual(['0001-long']);
    await expect(requireSchema(mongo, schema)).rejects.toThrow(/not been migrated/);
  });
});

describe('a later version', () => {
  const before = defineSchema({ models: [collection('things', 'a')], migrations: [step('0001-a')] });
  const after = defineSchema({
    models: [collection('things', 'b')],
    migrations: [step('0001-a'), step('0002-b')],
  });

  it('needs more than the earlier one has done, and keeps everything that it needs', async () => {
    await migrate(before);
    await expect(requireSchema(mongo, after)).rejects.toThrow(/not been migrated/);
    await migrate(after);
    // The way back.
    await requireSchema(mongo, before);
    await migrate(before);
    await requireSchema(mongo, after);
    expect(begun).toEqual(['0001-a', '0002-b']);
    const indexes = await mongo.db.collection('things').indexes();
    expect(indexes.map(({ name }) => name)).toEqual(['_id_', 'a', 'b']);
  });

  it('runs steps that precede those already done', async () => {
    await migrate(schemaOf(step('0002-b')));
    await migrate(schemaOf(step('0001-a'), step('0002-b')));
    expect(begun).toEqual(['0002-b', '0001-a']);
  });
});

it.each([
  ['no baseline', { $unset: { baseline: 1 } }],
  ['another baseline', { $inc: { baseline: -1 } }],
])('leaves data of a build with %s unchanged, and no service is ready with it', async (_what, update) => {
  const schema = schemaOf(step('0001-a'));
  await migrate(schema);
  await mongo.db.collection('migrations').updateMany({}, update);
  const before = await ledger();
  const sentence = /^The database \S+ contains data of another build, .* empty database .*--fresh\)\.$/;
  await expect(migrate(schemaOf(step('0001-a'), step('0002-b')))).rejects.toThrow(sentence);
  await expect(requireSchema(mongo, schema)).rejects.toThrow(/not been migrated/);
  expect([begun, await ledger()]).toEqual([['0001-a'], before]);
});

it('runs the additional work each time, and the schema is complete only after it', async () => {
  const schema = schemaOf();
  let runs = 0;
  await expect(migrate(schema, { more: () => Promise.reject(new Error('no bucket')) })).rejects.toThrow('no bucket');
  await expect(requireSchema(mongo, schema)).rejects.toThrow(/not been migrated/);
  for (let run = 0; run < 2; run++) await migrate(schema, { more: async () => void (runs += 1) });
  expect(runs).toBe(2);
  await requireSchema(mongo, schema);
});

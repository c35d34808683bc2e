import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { silentLogger } from '@dtplatform/logging';
import { ensureIndexes, ifPresent, modelOf, updateIfMatch } from '../src/index.js';
import { useDatabase } from './support.js';

const Machine = z.object({
  _id: z.string().min(1),
  kind: z.enum(['pump', 'valve']),
  builtAt: z.date(),
  isOn: z.boolean(),
  hours: z.int().nullable(),
  note: z.string().optional(),
  tags: z.array(z.string()),
  notes: z.array(z.string()).optional(),
  place: z.object({ hall: z.string(), row: z.number().optional() }),
  parts: z.array(z.object({ type: z.string() })),
  values: z.record(z.string(), z.unknown()),
  reading: z.union([z.string(), z.object({ value: z.number() })]).optional(),
  config: z.object({ limits: z.array(z.looseObject({ of: z.string() })) }),
  _revision: z.int(),
});
type Machine = z.infer<typeof Machine>;

const machineModel = modelOf('machines', Machine, {
  json: ['config'],
  indexes: [
    { key: { kind: 1, 'place.hall': 1 }, name: 'hall', unique: true, ...ifPresent('note') },
    { key: { builtAt: -1 }, name: 'expiry', expireAfterSeconds: 60 },
  ],
});
const openModel = modelOf('open', z.looseObject({ _id: z.string(), name: z.string() }));

const mongo = await useDatabase();
const machines = mongo.model(machineModel);

const machine = (_id: string): Machine => ({
  _id,
  kind: 'pump',
  builtAt: new Date(0),
  isOn: false,
  hours: null,
  tags: ['a'],
  place: { hall: '' },
  parts: [{ type: 'screw' }],
  values: { 'a.b': { $set: 1 }, empty: {}, none: [], nothing: null },
  reading: { value: 1 },
  config: { limits: [{ of: 'x', $more: [] }] },
  _revision: 0,
});

it('stores an entity unchanged', async () => {
  await machines.insertMany([machine('whole')]);
  expect(await machines.findById('whole').lean()).toStrictEqual(machine('whole'));
});

it.each([
  ['an unknown field', { other: 1 }, /other/],
  ['an unknown field of an object', { place: { hall: 'A', other: 1 } }, /other/],
  ['an unknown field of an object in an array', { parts: [{ type: 'x', other: 1 }] }, /other/],
  ['a field of another type', { builtAt: 'never' }, /builtAt/],
  ['a missing text', { kind: undefined }, /kind/],
  ['a missing field of an object', { place: {} }, /hall/],
])('rejects %s', async (_what, more, message) => {
  await expect(machines.insertMany([{ ...machine('bad'), ...more } as never])).rejects.toThrow(message);
  expect(await machines.findById('bad').lean()).toBeNull();
});

it('permits further fields in documents of an open entity', async () => {
  const open = mongo.model(openModel);
  await open.insertMany([{ _id: 'x', name: 'X', more: { 'a.b': 1 } }]);
  expect(await open.findById('x').lean()).toStrictEqual({ _id: 'x', name: 'X', more: { 'a.b': 1 } });
  await expect(open.insertMany([{ _id: 'y', more: 1 } as never])).rejects.toThrow(/name/);
});

it('raises the revision with every update, and validates what it sets', async () => {
  await machines.insertMany([machine('changed')]);
  const $set = { place: { hall: 'B' }, values: { $set: 1 } };
  await updateIfMatch(machines, 'changed', { $set }, { precondition: [0] });
  await machines.updateOne({ _id: 'changed' }, { $set: { note: 'x' } });
  expect(await machines.findById('changed').lean()).toMatchObject({ ...$set, note: 'x', _revision: 2 });
  const bad = { $set: { place: { row: 1 } as never } };
  await expect(updateIfMatch(machines, 'changed', bad, { precondition: undefined })).rejects.toThrow(/hall/);
  await expect(machines.updateOne({ _id: 'changed' }, { $set: { 'place.other': 1 } })).rejects.toThrow(/other/);
});

it('creates the indexes', async () => {
  await ensureIndexes(mongo, [machineModel], silentLogger());
  expect(await mongo.db.collection('machines').indexes()).toMatchObject([
    { name: '_id_' },
    {
      name: 'hall',
      key: { kind: 1, 'place.hall': 1 },
      unique: true,
      partialFilterExpression: { note: { $exists: true } },
    },
    { name: 'expiry', key: { builtAt: -1 }, expireAfterSeconds: 60 },
  ]);
});

it('names the field that cannot be stored', () => {
  const Odd = z.object({ _id: z.string(), at: z.object({ text: z.string().transform(Number) }) });
  expect(() => modelOf('odd', Odd)).toThrow('at.text: a model cannot hold a field of the type pipe');
});

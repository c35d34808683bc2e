import { beforeAll, describe, expect, it } from '@jest/globals';
import { commonErrors } from '@dtplatform/errors';
import { silentLogger } from '@dtplatform/logging';
import { createPendingGrants, defineModel, id, markGrants, number, part } from '../src/index.js';
import { useDatabase } from './support.js';

const mongo = await useDatabase();
const counters = mongo.db.collection<{ _id: string; value: number }>('counters');

beforeAll(() => mongo.db.createCollection('counters'));

const read = async (id: string) => (await counters.findOne({ _id: id }))?.value;

describe('transaction', () => {
  it('rolls back when the function throws, and throws the same error', async () => {
    const failure = new Error('no');
    const transaction = mongo.transaction(async (session) => {
      await counters.insertOne({ _id: 'rolled back', value: 1 }, { session });
      throw failure;
    });
    await expect(transaction).rejects.toBe(failure);
    expect(await read('rolled back')).toBeUndefined();
  });

  it('runs the function again after a write conflict, so that no update is lost, even if it created nested documents', async () => {
    let runs = 0;
    const model = mongo.model(
      defineModel<{ _id: string; part: { value: number } }>('with_parts', { _id: id, part: part({ value: number }) }),
    );
    await model.createCollection();
    const create = (name: string) =>
      mongo.transaction(async (session) => {
        runs += 1;
        await model.create([{ _id: name, part: { value: 1 } }], { session });
        const found = await counters.findOne({ _id: 'created' }, { session });
        await counters.updateOne({ _id: 'created' }, { $set: { value: (found?.value ?? 0) + 1 } }, { session });
      });
    await counters.insertOne({ _id: 'created', value: 0 });
    await Promise.all(Array.from({ length: 10 }, (_, n) => create(`document ${n}`)));
    expect(await read('created')).toBe(10);
    expect(runs).toBeGreaterThan(10);
    expect(await model.countDocuments()).toBe(10);
  });
});

describe('pending grants', () => {
  it('are all tried, even if one fails, and dropped when they are rejected', async () => {
    const errors: Record<string, Error> = { broken: commonErrors.internal(), refused: commonErrors.forbidden() };
    const granted: string[] = [];
    const grant = async ([{ _namespace = '' } = {}]: { _namespace?: string }[]) => {
      if (errors[_namespace]) throw errors[_namespace];
      granted.push(_namespace);
    };
    for (const _namespace of ['broken', 'refused', 'good']) {
      const entry = { _namespace, _resourceDesc: { _irn: '*:*:*' }, _user: { _type: 'user' as const, _id: 'ann' } };
      await mongo.transaction((session) => markGrants(mongo, [{ ...entry, _actions: ['*'] }], session));
    }
    await createPendingGrants(mongo, { grant }, silentLogger()).finishDue();
    expect(granted).toEqual(['good']);
    expect(await mongo.db.collection('grant_marks').countDocuments()).toBe(1);
  });
});

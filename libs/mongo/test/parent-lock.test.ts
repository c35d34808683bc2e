import { beforeAll, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@dtplatform/logging';
import {
  defineModel,
  ensureIndexes,
  id,
  lockNames,
  lockParent,
  newId,
  parentLockModel,
  text,
  touchParents,
} from '../src/index.js';
import { useDatabase } from './support.js';

const parentModel = defineModel<{ _id: string }>('parents', { _id: id });
const childModel = defineModel<{ _id: string; parent: string }>('children', { _id: id, parent: text });

const mongo = await useDatabase();
const parents = mongo.model(parentModel);
const children = mongo.model(childModel);
beforeAll(() => ensureIndexes(mongo, [parentModel, childModel, parentLockModel], silentLogger()));

const insert = (parent: string) =>
  mongo.transaction(async (session) => {
    await touchParents(mongo, [parent], session);
    if (!(await parents.findById(parent).session(session))) return false;
    await children.insertMany([{ _id: newId(), parent }], { session });
    return true;
  });
/** Removes the parent with the children that it sees. */
const remove = (parent: string) =>
  mongo.transaction(async (session) => {
    await parents.deleteOne({ _id: parent }, { session });
    await lockParent(mongo, parent, session);
    await children.deleteMany({ parent }, { session });
  });

describe('parent lock', () => {
  it('leaves no child behind that was inserted while the parent was removed', async () => {
    for (let round = 0; round < 30; round++) {
      const parent = newId();
      await parents.insertMany([{ _id: parent }]);
      await Promise.all([insert(parent), insert(parent), remove(parent), insert(parent)]);
      expect(await children.countDocuments({ parent })).toBe(0);
    }
  });

  it('permits many concurrent inserts', async () => {
    const parent = newId();
    await parents.insertMany([{ _id: parent }]);
    expect(await Promise.all(Array.from({ length: 40 }, () => insert(parent)))).not.toContain(false);
    expect(await children.countDocuments({ parent })).toBe(40);
  });

  it("of a name shows each later holder the earlier one's writes", async () => {
    const parent = newId();
    const insertIfFirst = () =>
      mongo.transaction(async (session) => {
        const isFirst = (await children.countDocuments({ parent }).session(session)) === 0;
        if (isFirst) await children.insertMany([{ _id: newId(), parent }], { session });
        await lockNames(mongo, ['other', parent], session);
        return isFirst;
      });
    const first = await Promise.all(Array.from({ length: 8 }, insertIfFirst));
    expect(first.filter(Boolean)).toHaveLength(1);
    expect(await children.countDocuments({ parent })).toBe(1);
  });

  it('is taken again when the removal of the parent is rolled back', async () => {
    const parent = newId();
    await parents.insertMany([{ _id: parent }]);
    const failing = mongo.transaction(async (session) => {
      await lockParent(mongo, parent, session);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await insert(parent)).toBe(true);
  });
});

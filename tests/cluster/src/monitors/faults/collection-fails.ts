import { inMongo } from '../../tools/in-pod.js';
import { orUndo, undoAll, type Fault } from '../fault.js';

/** Replaces the collection by a view on which every query and every write fails. */
const unreadable = (service: string, collection: string) => {
  const aside = `${collection}_aside`;
  return {
    make: `
const database = db('${service}');
await database.renameCollection('${collection}', '${aside}');
const broken = { $match: { $expr: { $eq: [{ $divide: [1, { $literal: 0 }] }, 1] } } };
await database.createCollection('${collection}', { viewOn: '${aside}', pipeline: [broken] });`,
    // A concurrent write may recreate a collection between the two commands.
    undo: `
const database = db('${service}');
await database.collection('${collection}').drop();
await database.renameCollection('${aside}', '${collection}', { dropTarget: true });`,
  };
};

/** A fault of the database that leaves pods ready. @param during what callers do during the fault */
export const collectionFails = (
  what: string,
  [service, collection]: readonly [string, string],
  { fires, during }: Pick<Fault, 'fires'> & { during: Fault['make'] },
): Fault => ({
  what,
  fires,
  async make(lab) {
    const { make, undo } = unreadable(service, collection);
    await inMongo(lab.kubectl, make);
    const repair = () => inMongo(lab.kubectl, undo);
    const stopCalls = await orUndo(repair, () => during(lab));
    return undoAll(repair, stopCalls);
  },
});

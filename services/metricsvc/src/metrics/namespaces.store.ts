import { oneOf, trusted } from '@dtplatform/mongo';
import type { Filter, Model, Mongo } from '@dtplatform/mongo';
import type { NamespaceContents } from '@dtplatform/queue';
import {
  closedNamespaceModel,
  dimensionAliasModel,
  idsOfNamespace,
  seriesModel,
  seriesMonthModel,
  unknownUsageModel,
} from './metrics.model.js';

const BATCH = 1000;

export function createNamespaceContents(mongo: Mongo): NamespaceContents {
  const closedNamespaces = mongo.model(closedNamespaceModel);
  const removeKept = removerFrom(mongo.model(unknownUsageModel));
  const removers = [
    removerFrom(mongo.model(seriesModel)),
    removerFrom(mongo.model(seriesMonthModel)),
    removerFrom(mongo.model(dimensionAliasModel)),
  ];

  async function close(namespaces: string[]): Promise<void> {
    const closedAt = new Date();
    const marks = namespaces.map((_id) => ({
      updateOne: { filter: { _id }, update: { $setOnInsert: { closedAt } }, upsert: true },
    }));
    await closedNamespaces.bulkWrite(marks);
  }

  return {
    /** Marked as closed first, because other services still record the usage that they remove. */
    async removeBatch(namespaces) {
      await close(namespaces);
      let removed = await removeKept({ namespace: oneOf(namespaces) });
      for (const namespace of namespaces) {
        for (const remove of removers) removed += await remove({ _id: trusted(idsOfNamespace(namespace)) });
      }
      return removed > 0;
    },
  };
}

/** @returns how many were removed */
const removerFrom =
  <D extends { _id: string }>(model: Model<D>) =>
  async (filter: Filter): Promise<number> => {
    const found = await model.find(filter, { _id: 1 }).limit(BATCH).lean<{ _id: string }[]>();
    if (found.length > 0) await model.deleteMany({ _id: oneOf(found.map(({ _id }) => _id)) } as never);
    return found.length;
  };

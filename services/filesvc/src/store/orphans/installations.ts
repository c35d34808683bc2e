import { randomUUID } from 'node:crypto';
import { defineModel, id, text } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { Installations } from '../../domain/orphans/ports.js';

const ONLY = 'this';

/** The one document holds the id that this database has in common with its bucket. */
export const installationModel = defineModel<{ _id: string; bucketId: string }>('installations', {
  _id: id,
  bucketId: text,
});

export function createInstallations(mongo: Mongo): Installations {
  const installations = mongo.model(installationModel);
  return {
    async id() {
      const known = await installations.findById(ONLY).lean();
      if (known) return known.bucketId;
      await installations.updateOne({ _id: ONLY }, { $setOnInsert: { bucketId: randomUUID() } }, { upsert: true });
      return (await installations.findById(ONLY).orFail().lean()).bucketId;
    },
  };
}

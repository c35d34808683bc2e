import type { ObjectStore } from '@dtplatform/object-store';
import type { Databases } from '../databases.js';
import { isRestoreMark, listCollections, RESTORE_MARK } from '../databases.js';
import { Rejected } from '../failures.js';
import { SERVICES } from '../services.js';

interface Deps {
  databases: Databases;
  bucket: Pick<ObjectStore, 'listObjects'>;
}

/** The installation to restore into. */
export function createTarget({ databases, bucket }: Deps) {
  const mark = databases.of(RESTORE_MARK.service).collection<{ _id: string }>(RESTORE_MARK.name);

  return {
    /** @throws Rejected if the restore would replace data that no restore has written */
    async requireEmpty(): Promise<void> {
      const collections = await listCollections(databases);
      if (collections.some(isRestoreMark)) return;
      if (collections.length > 0) {
        const services = SERVICES.filter((one) => collections.some(({ service }) => service === one));
        throw new Rejected(
          `there are data of ${services.join(', ')} already: restore into an empty installation, or replace them with --replace`,
        );
      }
      const { found } = await bucket.listObjects({ prefix: '', limit: 1 });
      if (found.length > 0)
        throw new Rejected('the bucket is not empty: restore into an empty one, or add to it with --replace');
    },

    /** Empties the databases. The mark allows an interrupted restore to be repeated. */
    async empty(backup: string): Promise<void> {
      await mark.updateOne({ _id: 'this' }, { $set: { backup, at: new Date() } }, { upsert: true });
      for (const one of await listCollections(databases))
        if (!isRestoreMark(one)) await databases.of(one.service).collection(one.name).drop();
    },

    unmark: () => mark.drop(),
  };
}

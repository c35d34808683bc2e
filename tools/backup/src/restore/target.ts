import type { ObjectStore } from '@dtplatform/object-store';
import type { Databases } from '../databases.js';
import { listCollections, RESTORE_MARK } from '../databases.js';
import { Refused } from '../failures.js';
import { SERVICES } from '../services.js';

interface Deps {
  databases: Databases;
  bucket: Pick<ObjectStore, 'listObjects'>;
}

/** The installation that a backup is restored into. */
export function createTarget({ databases, bucket }: Deps) {
  /** The services whose databases are neither empty nor left over from a restore that broke off. */
  async function occupied(): Promise<string[]> {
    const names = new Map<string, string[]>(SERVICES.map((service) => [service, []]));
    for (const { service, name } of await listCollections(databases)) names.get(service)!.push(name);
    return [...names]
      .filter(([, found]) => found.length > 0 && !found.includes(RESTORE_MARK))
      .map(([service]) => service);
  }

  const isMarked = async () => (await listCollections(databases)).some(({ name }) => name === RESTORE_MARK);

  return {
    /** @throws Refused if something would be replaced that no restore has written */
    async requireEmpty(): Promise<void> {
      const services = await occupied();
      if (services.length > 0)
        throw new Refused(
          `there are data of ${services.join(', ')} already: restore into an empty installation, or replace them with --replace`,
        );
      const { found } = await bucket.listObjects({ prefix: '', limit: 1 });
      if (found.length > 0 && !(await isMarked()))
        throw new Refused('the bucket is not empty: restore into an empty one, or add to it with --replace');
    },

    /** Empties the databases and marks them, so that a restore that breaks off can be repeated. */
    async empty(backup: string): Promise<void> {
      for (const service of SERVICES)
        await databases
          .of(service)
          .collection<{ _id: string }>(RESTORE_MARK)
          .updateOne({ _id: 'this' }, { $set: { backup, at: new Date() } }, { upsert: true });
      for (const { service, name } of await listCollections(databases))
        if (name !== RESTORE_MARK) await databases.of(service).collection(name).drop();
    },

    async unmark(): Promise<void> {
      for (const service of SERVICES) await databases.of(service).collection(RESTORE_MARK).drop();
    },
  };
}

import { matchesPrecondition } from '@dtplatform/contracts';
import type { Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { BSON, oneOf, shareCommits } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { touched } from '../nameduseritems/item-metadata.js';
import type { Writing } from '../nameduseritems/item-metadata.js';
import type { Item } from '../nameduseritems/item.js';
import { itemModel } from '../nameduseritems/item.model.js';
import { logWrites } from '../updatelogs/update-logs.store.js';
import { versionUsage } from '../usage/usage.js';
import { inEach } from '../usage/usage.store.js';
import type { createUsageOutbox } from '../usage/usage.store.js';
import { newVersion } from './version.js';
import type { NewVersion, Version } from './version.js';
import { bytesOfVersion, checkSize, versionModel } from './version.model.js';

/** Bytes per transaction shared by several requests; a larger request gets its own. */
const MAX_SHARED_BYTES = 256 * 1024;
/** Overhead of a version: at least as much is moved with it. */
const BASE_BYTES = 8 * 1024;

interface Addition {
  itemId: string;
  versionId: string;
  wanted: NewVersion;
  writing: Writing;
  precondition: Precondition;
}

interface Added {
  item: Item;
  after: Item;
  tip: Version;
  writing: Writing;
}

interface Deps {
  mongo: Mongo;
  usageOutbox: ReturnType<typeof createUsageOutbox>;
}

/** Adds versions, which become the tips of their items. Concurrent requests share a transaction. */
export function createVersionAdditions({ mongo, usageOutbox }: Deps) {
  const items = mongo.model(itemModel);
  const versions = mongo.model(versionModel);

  async function write(added: Added[], session: ClientSession): Promise<void> {
    const updates = added.map(({ item: { _id }, tip, writing }) => {
      const update = { $set: { ...asTip(tip), ...touched(writing) }, $inc: { _versionsCount: 1, _revision: 1 } };
      return { updateOne: { filter: { _id }, update } };
    });
    // The driver's collection, to skip mongoose's casting.
    await mongo.collection(itemModel).bulkWrite(updates, { session });
    const older = added.map(({ item }) => ({ ...item._tip, _isTip: false, _namespaces: item._namespaces }));
    await versions.insertMany(older, { session, lean: true });
    const logged = added.map(({ after, tip, writing }) => ({ after, writing, versionId: tip._id }));
    await logWrites(mongo, logged, session);
    const usage = added.flatMap(({ item, tip }) =>
      inEach(item._namespaces, versionUsage(item, tip, bytesOfVersion(tip))),
    );
    await usageOutbox.record(session, usage);
  }

  /** @returns the new tips; undefined where the item is gone @throws 412 */
  const addAll = (additions: Addition[]): Promise<(Version | undefined)[]> =>
    mongo.transaction(async (session) => {
      const ids = oneOf(additions.map(({ itemId }) => itemId));
      const found = await items.find({ _id: ids }).session(session).lean();
      const current = new Map<string, Item>(found.map((item) => [item._id, item]));
      const added = additions.flatMap((addition) => {
        const item = current.get(addition.itemId);
        if (!item) return [];
        const step = nextVersion(item, addition);
        current.set(item._id, step.after);
        return [step];
      });
      if (added.length > 0) await write(added, session);
      const tips = new Map(added.map(({ tip }) => [tip._id, tip]));
      return additions.map(({ versionId }) => tips.get(versionId));
    });

  return shareCommits(mongo, addAll, { maxWeight: MAX_SHARED_BYTES, weightOf });
}

export const asTip = (tip: Version) => ({
  _tip: tip,
  _tipId: tip._id,
  _tipVersion: tip._version,
  _nextVersion: tip._version + 1,
});

const weightOf = ({ wanted }: Addition): number => BASE_BYTES + BSON.calculateObjectSize(wanted);

/** @throws 412 */
function nextVersion(item: Item, { versionId, wanted, writing, precondition }: Addition): Added {
  if (!matchesPrecondition(item, precondition)) throw commonErrors.preconditionFailed();
  const tip = newVersion(wanted, { id: versionId, itemId: item._id, number: item._nextVersion }, writing);
  checkSize(tip);
  const after = { ...item, ...asTip(tip), _versionsCount: item._versionsCount + 1, _revision: item._revision + 1 };
  return { item, after, tip, writing };
}

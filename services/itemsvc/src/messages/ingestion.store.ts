import { documentErrors, newId, oneOf } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { Item } from '../nameduseritems/item.js';
import { itemModel } from '../nameduseritems/item.model.js';
import type { ReadingStore } from '../readings/readings.store.js';
import type { TelemetryConfig } from '../telemetryconfigs/telemetry-config.js';
import { telemetryConfigModel } from '../telemetryconfigs/telemetry-configs.model.js';
import { createBoundCollections } from '../telemetryconfigs/telemetry-configs.store.js';
import { createDropOldest, firstWithin } from './message-limits.store.js';
import type { Ingested, Message } from './message.js';
import { deadLetterModel, messageModel } from './messages.model.js';
import { CannotIngest } from './normalize.js';

/** Messages per batch. */
const BATCH = 200;
/** Bytes of content per batch. */
const BATCH_BYTES = 1024 * 1024;

interface Deps {
  mongo: Mongo;
  readingStore: Pick<ReadingStore, 'accept'>;
}

export function createIngestionStore({ mongo, readingStore }: Deps) {
  const messages = mongo.model(messageModel);
  const deadLetters = mongo.model(deadLetterModel);
  const dropOldest = createDropOldest(mongo);
  const configs = mongo.model(telemetryConfigModel);
  const items = mongo.model(itemModel);
  const boundCollections = createBoundCollections(mongo);

  /** False if another process has already processed one of the messages. */
  async function takeMessages(ids: string[], session: ClientSession): Promise<boolean> {
    const { deletedCount } = await messages.deleteMany({ _id: oneOf(ids) }, { session });
    return deletedCount === ids.length;
  }

  const putDeadLetters = (failed: Ingested['deadLetters'], session: ClientSession) =>
    deadLetters.insertMany(
      failed.map(({ message: { configId, groupId, content, bytes, createdAt }, code, reason }) => ({
        ...{ _id: newId(), configId, groupId, content, bytes, createdAt },
        ...{ code, reason, failedAt: new Date() },
      })),
      { session, lean: true },
    );

  return {
    async findConfigId(groupId: string): Promise<string | undefined> {
      const one = await messages.findOne({ groupId }, { configId: 1 }).lean();
      return one?.configId;
    },

    /** The next messages of a group, fewer if they are large. */
    async nextMessages(groupId: string): Promise<Message[]> {
      const sizes = await messages.aggregate<{ _id: string; bytes: number }>([
        { $match: { groupId } },
        { $sort: { _id: 1 } },
        { $limit: BATCH },
        { $project: { bytes: 1 } },
      ]);
      const ids = firstWithin(sizes, BATCH_BYTES);
      return messages
        .find({ _id: oneOf(ids) })
        .sort({ _id: 1 })
        .lean();
    },

    countDeadLetters: (groupId: string): Promise<number> => deadLetters.countDocuments({ groupId }).exec(),

    findConfig: async (id: string): Promise<TelemetryConfig | undefined> =>
      (await configs.findById(id).lean()) ?? undefined,

    /** The latest version of the newest script of this type in the namespaces. */
    async findScript(_userType: string, namespaces: string[]): Promise<string | undefined> {
      const wanted = { _namespaces: oneOf(namespaces), _itemClass: 'Script' as const, _userType };
      const script = await items.findOne(wanted, { _tip: 1 }).sort({ _id: -1 }).lean();
      const text = script?._tip._userData;
      return typeof text === 'string' ? text : undefined;
    },

    findCollection: (userItemId: string, namespaces: string[]): Promise<Item | undefined> =>
      boundCollections.find(userItemId, namespaces),

    /**
     * Stores readings and dead letters and removes the messages, in one transaction. Does nothing if another process
     * has done so.
     * @throws 413 if the readings of a collection are too large together, 404 if a collection is gone, CannotIngest if
     * a retry cannot help
     */
    async commit({ messages: done, stored, deadLetters: failed }: Ingested): Promise<void> {
      const store = await mongo
        .transaction(async (session) => {
          const ids = done.map(({ _id }) => _id);
          if (!(await takeMessages(ids, session))) throw new TakenMeanwhile();
          // Readings keep the arrival order of their messages, whenever these are processed.
          const store = await readingStore.accept(stored, session, ids[0]);
          if (failed.length > 0) await putDeadLetters(failed, session);
          return store;
        })
        .catch((error: unknown) => {
          if (error instanceof TakenMeanwhile) return undefined;
          if (!documentErrors(error)) throw error;
          throw new CannotIngest('READINGS_NOT_VALID', 'The readings contain values that cannot be stored.', {
            cause: error,
          });
        });
      await store?.();
      if (failed.length > 0) await dropOldest(failed[0]!.message.configId);
    },
  };
}

export type IngestionStore = ReturnType<typeof createIngestionStore>;

/** Rolls the transaction back. */
class TakenMeanwhile extends Error {}

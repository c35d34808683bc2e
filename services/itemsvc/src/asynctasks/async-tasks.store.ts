import { randomBytes } from 'node:crypto';
import type { AsyncTask } from '@dtplatform/contracts';
import { defineModel, id, text } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { FoundTask } from '@dtplatform/permissions';
import { shownTask } from '@dtplatform/queue';
import type { Tasks } from '@dtplatform/queue';

export const createAsyncTaskStore = (tasks: Tasks) => ({
  async find(id: string): Promise<FoundTask<AsyncTask> | undefined> {
    const task = await tasks.get(id);
    return task && { task: shownTask(task), createdById: task._createdById };
  },
});

export type AsyncTaskStore = ReturnType<typeof createAsyncTaskStore>;

/** The key that signs links to large responses. One document, shared by all processes. */
export const linkKeyModel = defineModel<{ _id: string; key: string }>('link_keys', { _id: id, key: text });

/** Reads the signing key, creating it on first use. The key is random because callers see its signatures. */
export function createLinkKey(mongo: Mongo): () => Promise<string> {
  const keys = mongo.model(linkKeyModel);
  let known: string | undefined;
  return async () => {
    known ??= (
      await keys
        .findOneAndUpdate(
          { _id: 'responses' },
          { $setOnInsert: { key: randomBytes(32).toString('base64url') } },
          { upsert: true, returnDocument: 'after' },
        )
        .lean()
    ).key;
    return known;
  };
}

import { WORKSPACE_DELETED_QUEUES, workspaceDeleted } from '@dtplatform/contracts';
import { modelOf, notAfter, oneOf } from '@dtplatform/mongo';
import type { Filter, Model, Mongo } from '@dtplatform/mongo';
import { createOutbox, defineMessage } from '@dtplatform/queue';
import { notificationTemplateModel } from '../../groups/notification_templates/notification-templates.store.js';
import { consentModel } from '../../oauth/consents/consents.store.js';
import { authorizationModel } from '../../oauth/token/authorizations.store.js';
import { Deletion } from './deletions.js';

export const deletionModel = modelOf('deletions', Deletion, {
  indexes: [{ key: { kind: 1, dueAt: 1 }, name: 'due_of_kind' }],
});

const BATCH = 1000;
const KINDS = Deletion.shape.kind.options;
const MESSAGES = WORKSPACE_DELETED_QUEUES.map((queue) => defineMessage({ queue, ...workspaceDeleted }));

export function createDeletionStore(mongo: Mongo) {
  const deletions = mongo.model(deletionModel);
  const consents = mongo.model(consentModel);
  const authorizations = mongo.model(authorizationModel);
  const templates = mongo.model(notificationTemplateModel);
  const outbox = createOutbox(mongo);

  return {
    /** Due deletions, oldest first: up to `limit` of each kind, so that no kind delays another. */
    async listDue(now: number, limit: number): Promise<Deletion[]> {
      const dueOf = (kinds: Deletion['kind'][]) =>
        deletions
          .find({ kind: oneOf(kinds), dueAt: notAfter(now) })
          .sort({ dueAt: 1 })
          .limit(limit)
          .lean<Deletion[]>();
      const oldest = await dueOf(KINDS);
      if (oldest.length < limit) return oldest;
      return (await Promise.all(KINDS.map((kind) => dueOf([kind])))).flat();
    },
    async removeLeftoversOfApp(appId: string): Promise<void> {
      await removeAll(authorizations, { clientId: appId });
      await removeAll(consents, { _appId: appId });
      await removeAll(templates, { _appId: appId });
    },
    /**
     * Records the end of a round and notifies the services with data in a workspace's namespaces. Idempotent.
     * @param nextAt when the next round is due; undefined after the last
     */
    completeRound: ({ _id, kind, namespaces, rounds }: Deletion, nextAt: number | undefined): Promise<void> =>
      mongo.transaction(async (session) => {
        const inRound = { _id, rounds };
        const recorded =
          nextAt === undefined
            ? (await deletions.deleteOne(inRound, { session })).deletedCount
            : (await deletions.updateOne(inRound, { $set: { rounds: rounds + 1, dueAt: nextAt } }, { session }))
                .matchedCount;
        if (recorded === 0 || kind !== 'workspace') return;
        for (const message of MESSAGES) await outbox.put(session, message, { _id, _namespaces: namespaces });
      }),
  };
}

export type DeletionStore = ReturnType<typeof createDeletionStore>;

/** In batches: there may be one per user of the platform. */
async function removeAll<D>(model: Model<D>, filter: Filter): Promise<void> {
  for (;;) {
    const found = await model.find(filter, { _id: 1 }).limit(BATCH).lean<{ _id: string }[]>();
    if (found.length === 0) return;
    await model.deleteMany({ _id: oneOf(found.map(({ _id }) => _id)) });
  }
}

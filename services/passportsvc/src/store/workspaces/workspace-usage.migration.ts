import type { Migration } from '@dtplatform/mongo';
import { createOutbox } from '@dtplatform/queue';
import type { Workspace } from '../../domain/workspaces/workspace.js';
import { usageOf } from '../../domain/workspaces/usage.js';
import { workspaceModel } from './workspace.model.js';
import { usageRecorded } from './workspace-store.js';

const BATCH = 500;

/**
 * Reports the workspaces that there are: earlier versions have not. Their messages have fixed ids, so that each counts once
 * however often the migration is interrupted.
 */
export const workspaceUsage = (id: string): Migration => ({
  id,
  async up(db) {
    const outbox = createOutbox({ db });
    const workspaces = db.collection<Workspace>(workspaceModel.collection);
    const report = (found: Workspace[]) =>
      db.client.withSession(async (session) => {
        const messages = found.flatMap(({ _id, _namespaces, _metadata: { _createdAt } }) =>
          usageOf(_namespaces, 1, _createdAt).map((payload, index) => ({ payload, id: `workspace-${_id}-${index}` })),
        );
        await outbox.putMany(session, usageRecorded, messages);
      });
    for (let after = ''; ;) {
      const filter = { _id: { $gt: after } };
      const found = await workspaces.find(filter).sort({ _id: 1 }).limit(BATCH).toArray();
      if (found.length > 0) await report(found);
      if (found.length < BATCH) return;
      after = found.at(-1)!._id;
    }
  },
});

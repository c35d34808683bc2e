import { commonErrors } from '@dtplatform/errors';
import type { ClientSession, Model, Mongo } from '@dtplatform/mongo';
import type { AppConfigKey } from '../../domain/apps/app-configs.js';
import { errors } from '../../errors.js';
import { appModel } from './app.model.js';

const REACHED = { 'usergroups.limit': errors.usergroupsLimit, 'workspaces.limit': errors.workspacesLimit };

interface Addition<D extends { _appId: string }> {
  appId: string;
  key: AppConfigKey;
  /** The collection that the limit is for. Its documents name their app in `_appId`, which has an index. */
  model: Model<D>;
  /** How many documents are added. */
  added: number;
}

/** The limits in the configurations of apps. */
export function createAppLimits(mongo: Mongo) {
  const apps = mongo.model(appModel);

  return {
    /**
     * Checks whether an app has room for more. Call it in the transaction that adds them, before they are inserted: where there
     * is a limit, it writes to the app's record, so that concurrent transactions conflict instead of all passing the count.
     * Without a session it only tells early that there is no room.
     * @throws forbidden when the app no longer exists; workspacesLimit, usergroupsLimit
     */
    async assertRoom<D extends { _appId: string }>(
      { appId, key, model, added }: Addition<D>,
      session?: ClientSession,
    ): Promise<void> {
      const app = await apps.findById(appId, { _configs: 1 }, { session }).lean();
      if (!app) throw commonErrors.forbidden();
      if (app._configs[key] === undefined) return;
      const limit = Number(app._configs[key]);
      // Through the driver's collection, because callers do not see this change: the app's revision must not rise.
      const ofApp = { _id: appId as never };
      if (session) await apps.collection.updateOne(ofApp, { $inc: { _workspaceWrites: 1 } }, { session });
      const count = await model.countDocuments({ _appId: appId } as never, { session, limit: limit + 1 });
      if (count + added > limit) throw REACHED[key]();
    },
  };
}

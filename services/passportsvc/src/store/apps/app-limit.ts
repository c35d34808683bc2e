import { commonErrors } from '@dtplatform/errors';
import type { ClientSession, Model, Mongo } from '@dtplatform/mongo';
import type { AppConfigKey } from '../../domain/apps/app-configs.js';
import { errors } from '../../errors.js';
import { appModel } from './app.model.js';

const REACHED = { 'usergroups.limit': errors.usergroupsLimit, 'workspaces.limit': errors.workspacesLimit };

/**
 * A limit in the configurations of apps.
 * @param model the collection that it is for; its documents name their app in `_appId`, which has an index
 */
export function createAppLimit<D extends { _appId: string }>(mongo: Mongo, key: AppConfigKey, model: Model<D>) {
  const apps = mongo.model(appModel);

  /**
   * Checks whether an app has room for more. Call it in the transaction that adds them, before they are inserted: where there
   * is a limit, it writes to the app's record, so that concurrent transactions conflict instead of all passing the count.
   * Without a session it only fails early when there is no room.
   * @throws forbidden when the app no longer exists; workspacesLimit, usergroupsLimit
   */
  return async function assertRoom(appId: string, added: number, session?: ClientSession): Promise<void> {
    const app = await apps.findById(appId, { _configs: 1 }, { session }).lean();
    if (!app) throw commonErrors.forbidden({ message: 'The user or application of the token no longer exists.' });
    if (app._configs[key] === undefined) return;
    const limit = Number(app._configs[key]);
    // Through the driver's collection, because callers do not see this change: the app's revision must not rise.
    const ofApp = { _id: appId as never };
    if (session) await apps.collection.updateOne(ofApp, { $inc: { _workspaceWrites: 1 } }, { session });
    const count = await model.countDocuments({ _appId: appId } as never, { session, limit: limit + 1 });
    if (count + added > limit) throw REACHED[key]();
  };
}

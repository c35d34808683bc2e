import { commonErrors } from '@dtplatform/errors';
import { oneOf } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { Item } from '../../domain/nameduseritems/item.js';
import type { Version } from '../../domain/versions/version.js';
import { itemModel } from '../nameduseritems/item.model.js';
import { versionModel } from './version.model.js';

interface Owner {
  item: Pick<Item, '_id'>;
  version: Pick<Version, '_id'>;
}

/**
 * The namespaces of items, by their ids. For transactions that write something below versions of these: after `touchParents` on
 * the items, the items and versions remain until the commit.
 * @throws 404 when an item or a version is gone
 */
export async function requireVersions(
  mongo: Mongo,
  owners: Owner[],
  session: ClientSession,
): Promise<Map<string, string[]>> {
  const ids = [...new Set(owners.map(({ item }) => item._id))];
  const found = await mongo
    .model(itemModel)
    .find({ _id: oneOf(ids) }, { _namespaces: 1, _tipId: 1 })
    .session(session)
    .lean();
  const items = new Map(found.map((item) => [item._id, item]));
  for (const { item, version } of new Map(owners.map((owner) => [owner.version._id, owner])).values()) {
    const current = items.get(item._id);
    const isThere = current && (current._tipId === version._id || (await isOlder(mongo, item, version, session)));
    if (!isThere) throw commonErrors.notFound();
  }
  return new Map(found.map(({ _id, _namespaces }) => [_id, _namespaces]));
}

const isOlder = (mongo: Mongo, item: Owner['item'], { _id }: Owner['version'], session: ClientSession) =>
  mongo.model(versionModel).exists({ _id, _userItemDbId: item._id }).session(session);

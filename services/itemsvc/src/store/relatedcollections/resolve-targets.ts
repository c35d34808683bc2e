import { oneOf, scopeFilter } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { Scope } from '@dtplatform/permissions';
import type { Item } from '../../domain/nameduseritems/item.js';
import type { Target } from '../../domain/relatedcollections/ports.js';
import type { NewRelatedCollection, RelatedCollection } from '../../domain/relatedcollections/related-collection.js';
import { itemModel } from '../nameduseritems/item.model.js';
import { versionModel } from '../versions/version.model.js';

type Found = Target['item'] & Pick<Item, '_tipId' | '_tipVersion'>;
const FIELDS = { _userItemId: 1, _userType: 1, _itemClass: 1, _tipId: 1, _tipVersion: 1 } as const;

/** What entries name, in two queries. */
export async function resolveTargets(
  mongo: Mongo,
  entries: NewRelatedCollection[],
  scope: Scope,
): Promise<(Target | undefined)[]> {
  const ids = entries.flatMap(({ _itemId }) => _itemId ?? []);
  const userItemIds = entries.flatMap(({ _userItemId }) => _userItemId ?? []);
  const named = [{ _id: oneOf(ids) }, { _userItemId: oneOf(userItemIds) }];
  const items = await mongo
    .model(itemModel)
    .find({ $and: [scopeFilter(scope), { $or: named }] }, FIELDS)
    .lean<Found[]>();
  const byId = new Map(items.map((item) => [item._id, item]));
  const byUserItemId = new Map(items.map((item) => [item._userItemId, item]));
  const older = await olderVersions(mongo, entries);

  return entries.map(({ _itemId, _userItemId, _userItemVersionId }) => {
    const item = _itemId === undefined ? byUserItemId.get(_userItemId!) : byId.get(_itemId);
    if (!item || (_userItemId !== undefined && item._userItemId !== _userItemId)) return undefined;
    if (_userItemVersionId === undefined || _userItemVersionId === item._tipId) {
      return { item, version: { _id: item._tipId, _version: item._tipVersion } };
    }
    const version = older.get(_userItemVersionId);
    return version?._userItemDbId === item._id ? { item, version } : undefined;
  });
}

async function olderVersions(mongo: Mongo, entries: NewRelatedCollection[]) {
  const ids = entries.flatMap(({ _userItemVersionId }) => _userItemVersionId ?? []);
  if (ids.length === 0) return new Map<string, never>();
  const versions = await mongo
    .model(versionModel)
    .find({ _id: oneOf(ids) }, { _version: 1, _userItemDbId: 1 })
    .lean();
  return new Map(versions.map((version) => [version._id, version]));
}

/** Whether all items and versions are still there, in a transaction that has touched the items. */
export async function areThere(mongo: Mongo, related: RelatedCollection[], session: ClientSession): Promise<boolean> {
  const itemIds = [...new Set(related.map(({ _itemId }) => _itemId))];
  const items = await mongo
    .model(itemModel)
    .find({ _id: oneOf(itemIds) }, { _tipId: 1 })
    .session(session)
    .lean<Pick<Item, '_id' | '_tipId'>[]>();
  if (items.length < itemIds.length) return false;
  const tips = new Set(items.map(({ _tipId }) => _tipId));
  const older = new Set(related.map((one) => one._userItemVersionId).filter((id) => !tips.has(id)));
  const remaining = { _id: oneOf(older) };
  return (await mongo.model(versionModel).countDocuments(remaining).session(session)) === older.size;
}

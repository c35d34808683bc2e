import { lockNames } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { RelatedCollection } from '../../domain/relatedcollections/related-collection.js';
import { errors } from '../../errors.js';
import { relatedCollectionModel } from './related-collection.model.js';

const COMPOSITE = 'NamedCompositeItem';
/** How many composite items may be below one. */
const MAX_BELOW = 1000;

/**
 * Locks a composite item and all composite items that would be below it, in the transaction that relates them. Two
 * transactions that together would close a cycle have one of these in common: the second one runs again and sees it
 * (docs/adr/0063).
 * @throws 400 when the item would be below itself, in any of its versions
 */
export async function refuseCycles(
  mongo: Mongo,
  ownerId: string,
  related: RelatedCollection[],
  session: ClientSession,
): Promise<void> {
  const below = new Set<string>();
  let level = related.filter((one) => one._userItemClass === COMPOSITE).map(({ _itemId }) => _itemId);
  while (level.length > 0) {
    for (const id of level) below.add(id);
    if (below.has(ownerId)) throw errors.relatedCollectionCycle();
    if (below.size > MAX_BELOW) throw errors.tooManyRelatedCollections();
    const next = await findBelow(mongo, level, session);
    level = next.filter((id) => !below.has(id));
  }
  await lockNames(mongo, [ownerId, ...below], session);
}

/** The composite items that any versions of these relate to themselves: one more than the limit is enough to exceed it. */
const findBelow = async (mongo: Mongo, ownerIds: string[], session: ClientSession): Promise<string[]> =>
  (
    await mongo
      .model(relatedCollectionModel)
      .aggregate<{ _id: string }>([
        { $match: { _ownerId: { $in: ownerIds }, _userItemClass: COMPOSITE } },
        { $group: { _id: '$_itemId' } },
        { $limit: MAX_BELOW + ownerIds.length + 1 },
      ])
      .session(session)
  ).map(({ _id }) => _id);

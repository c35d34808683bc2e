import type { Listing } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { metadataOf } from '../nameduseritems/item-metadata.js';
import { ITEM_TYPE } from '../nameduseritems/item.js';
import type { Item } from '../nameduseritems/item.js';
import type { ListQuery } from '../query/parse-query.js';
import type { Owner } from '../relateditems/collections.js';
import type { Versions } from '../versions/versions.js';
import type { NewRelatedCollection, RelatedCollection } from './related-collection.js';
import type { RelatedCollectionStore } from './related-collections.store.js';

/** An item to relate, as it is now, and one of its versions. */
export interface Target {
  item: Pick<Item, '_id' | '_userItemId' | '_userType' | '_itemClass'>;
  version: { _id: string; _version: number };
}

/** The composite item of a call, its version (the tip when undefined) and its caller. */
interface CompositeContext {
  item: Item;
  versionId: string | undefined;
  /** `nsfilter` */
  namespace: string;
  access: Access;
}

export type RelatedCollections = ReturnType<typeof createRelatedCollections>;

const MAX_DETAILS = 20;

/** The items that versions of composite items relate to themselves (docs/contract.md, "Related collections"). */
export function createRelatedCollections({
  relatedCollectionStore,
  versions,
}: {
  relatedCollectionStore: RelatedCollectionStore;
  versions: Versions;
}) {
  async function ownerOf({ item, versionId }: CompositeContext): Promise<Owner> {
    if (item._itemClass !== 'NamedCompositeItem') throw errors.noRelatedCollections();
    return { item, version: await versions.get(item, versionId) };
  }
  const readable = ({ access, namespace }: CompositeContext) => access.scope('READ', ITEM_TYPE, [namespace]);

  return {
    /**
     * Relates items to a version, all or none.
     * @throws 400 when one is not there, the caller may not read it, or it contains the composite item itself; 404 when the
     * version is not there
     */
    async add(entries: NewRelatedCollection[], context: CompositeContext): Promise<RelatedCollection[]> {
      const owner = await ownerOf(context);
      const targets = await relatedCollectionStore.resolve(entries, await readable(context));
      const _metadata = metadataOf({ byId: context.access.principal.id, at: Date.now() });
      const related = found(targets).map(({ item, version }) => ({
        _id: relatedCollectionStore.newId(),
        _itemId: item._id,
        _userItemId: item._userItemId,
        _userType: item._userType,
        _userItemVersion: version._version,
        _userItemVersionId: version._id,
        _userItemClass: item._itemClass,
        _metadata,
      }));
      await relatedCollectionStore.insert(owner, related);
      return related;
    },

    /** Those of a version whose items the caller may read. @throws 404 when the version is not there */
    async list(context: CompositeContext, query: ListQuery): Promise<Listing<Partial<RelatedCollection>>> {
      return relatedCollectionStore.list(await ownerOf(context), query, await readable(context));
    },

    /** @throws 404 when the version is not there or has no such related collection, or the caller may not read its item */
    async get(id: string, context: CompositeContext): Promise<RelatedCollection> {
      const found = await relatedCollectionStore.find(await ownerOf(context), id, await readable(context));
      if (!found) throw commonErrors.notFound();
      return found;
    },

    /** @throws 404 when the version is not there or has no such related collection */
    async remove(id: string, context: CompositeContext): Promise<void> {
      if (!(await relatedCollectionStore.remove(await ownerOf(context), id))) throw commonErrors.notFound();
    },
  };
}

function found(targets: (Target | undefined)[]): Target[] {
  const details = targets.flatMap((target, index) =>
    target ? [] : [{ location: `body.${index}`, message: 'no such item or version' }],
  );
  if (details.length > 0) throw errors.relatedCollectionMissing({ details: details.slice(0, MAX_DETAILS) });
  return targets as Target[];
}

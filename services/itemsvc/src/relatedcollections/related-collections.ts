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

export interface Target {
  item: Pick<Item, '_id' | '_userItemId' | '_userType' | '_itemClass'>;
  version: { _id: string; _version: number };
}

/** The version defaults to the tip. */
interface CompositeContext {
  item: Item;
  versionId: string | undefined;
  /** `nsfilter` */
  namespace: string;
  access: Access;
}

export type RelatedCollections = ReturnType<typeof createRelatedCollections>;

const MAX_DETAILS = 20;

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
     * Adds relations to a version, all or nothing.
     * @throws 400 if an item is missing, not readable, or contains the composite item; 404 if the version is missing
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

    /** The relations whose items the caller may read. @throws 404 if the version is missing */
    async list(context: CompositeContext, query: ListQuery): Promise<Listing<Partial<RelatedCollection>>> {
      return relatedCollectionStore.list(await ownerOf(context), query, await readable(context));
    },

    /** @throws 404 if the version or relation is missing, or its item is not readable */
    async get(id: string, context: CompositeContext): Promise<RelatedCollection> {
      const found = await relatedCollectionStore.find(await ownerOf(context), id, await readable(context));
      if (!found) throw commonErrors.notFound();
      return found;
    },

    /** @throws 404 if the version or relation is missing */
    async remove(id: string, context: CompositeContext): Promise<void> {
      if (!(await relatedCollectionStore.remove(await ownerOf(context), id))) throw commonErrors.notFound();
    },
  };
}

function found(targets: (Target | undefined)[]): Target[] {
  const details = targets.flatMap((target, index) =>
    target ? [] : [{ location: `body.${index}`, message: 'must be an existing item or version' }],
  );
  if (details.length > 0) throw errors.relatedCollectionMissing({ details: details.slice(0, MAX_DETAILS) });
  return targets as Target[];
}

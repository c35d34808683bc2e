import { randomUUID } from 'node:crypto';
import type { Principal } from '@dtplatform/jwt';
import type { Listing } from '@dtplatform/resource';
import { errors } from '../../errors.js';
import { metadataOf } from '../item-metadata.js';
import type { ListQuery } from '../list-query.js';
import type { Item } from '../nameduseritems/item.js';
import { partitionValid } from '../partial-writes.js';
import type { Failure } from '../partial-writes.js';
import type { Versions } from '../versions/versions.js';
import type { Files, Owner, RelatedItemStore } from './ports.js';
import { NEW_RELATED_ITEMS, newRelatedItem } from './related-item.js';
import type { NewRelatedItem, RelatedItem } from './related-item.js';

/** The collection of a call, its version (the tip when undefined) and its caller. */
interface RelatedContext {
  item: Item;
  versionId: string | undefined;
  namespace: string;
  principal: Principal;
  signal: AbortSignal;
}

/** The items in the versions of a collection. */
export interface RelatedItems {
  /**
   * Adds related items to a version. Files must exist, and the caller must be permitted to read them.
   * @param transactional all or none; otherwise invalid entries are left out and reported
   */
  add(
    wanted: NewRelatedItem[],
    transactional: boolean,
    context: RelatedContext,
  ): Promise<{ relatedItems: RelatedItem[]; failures: Failure[] }>;
  list(item: Item, versionId: string | undefined, query: ListQuery): Promise<Listing<Partial<RelatedItem>>>;
}

interface Deps {
  relatedItemStore: RelatedItemStore;
  versions: Versions;
  files: Files;
}

export function createRelatedItems({ relatedItemStore, versions, files }: Deps): RelatedItems {
  async function ownerOf(item: Item, versionId: string | undefined): Promise<Owner> {
    if (!NEW_RELATED_ITEMS[item._itemClass]) throw errors.noRelatedItems();
    return { item, version: await versions.get(item, versionId) };
  }

  async function checkFiles(wanted: NewRelatedItem[], { principal, namespace, signal }: RelatedContext) {
    const ids = [...new Set(wanted.map(({ _fileId }) => _fileId as string))];
    const missing = await files.missing(ids, { token: principal.token, namespace, signal });
    if (missing.size === 0) return;
    const details = wanted.flatMap(({ _fileId }, index) =>
      missing.has(_fileId as string) ? [{ location: `body.${index}._fileId`, message: 'no such file' }] : [],
    );
    throw errors.fileMissing({ details: details.slice(0, 20) });
  }

  return {
    async add(wanted, transactional, context) {
      const { item, principal } = context;
      const owner = await ownerOf(item, context.versionId);
      if (item._itemClass === 'NamedFileCollection') await checkFiles(wanted, context);
      const metadata = metadataOf({ byId: principal.id, at: Date.now() });
      const ids = () => ({ id: relatedItemStore.newId(), guid: randomUUID() });
      const rows = wanted.map((one) => newRelatedItem(one, { ...ids(), itemClass: item._itemClass, metadata }));
      const { valid, failures } = partitionValid(rows, transactional, (row) => relatedItemStore.checkSize(row));
      await relatedItemStore.insert(owner, valid);
      return { relatedItems: valid, failures };
    },

    list: async (item, versionId, query) => relatedItemStore.list(await ownerOf(item, versionId), query),
  };
}

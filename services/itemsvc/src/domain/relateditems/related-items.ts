import { randomUUID } from 'node:crypto';
import type { Listing } from '@dtplatform/contracts';
import type { Access } from '@dtplatform/permissions';
import { metadataOf } from '../item-metadata.js';
import type { ListQuery } from '../list-query.js';
import type { Item } from '../nameduseritems/item.js';
import { partitionValid } from '../partial-writes.js';
import type { Failure } from '../partial-writes.js';
import type { Versions } from '../versions/versions.js';
import { allowedRelated, isAmong } from './collections.js';
import { requireFiles } from './file-references.js';
import { ownerOf } from './owners.js';
import type { BulkStore, Files, RelatedItemStore } from './ports.js';
import { newRelatedItem } from './related-item.js';
import type { NewRelatedItem, RelatedItem } from './related-item.js';

/** The collection of a call, its version (the tip when undefined) and its caller. */
export interface RelatedContext {
  item: Item;
  versionId: string | undefined;
  /** `nsfilter` */
  namespace: string;
  access: Access;
}
export interface AddContext extends RelatedContext {
  signal: AbortSignal;
}

/** The items in the versions of a collection. */
export interface RelatedItems {
  /**
   * Adds related items to a version. Files must exist, and the caller must be permitted to read them.
   * @param transactional all or none; otherwise invalid entries are left out and reported
   * @throws 403 when the caller may create only related items that match criteria, and one does not
   */
  add(
    wanted: NewRelatedItem[],
    transactional: boolean,
    context: AddContext,
  ): Promise<{ relatedItems: RelatedItem[]; failures: Failure[] }>;
  /**
   * Accepts related items to be added later, non-transactionally; all else is checked as in `add`. The rights are those of now.
   * @returns the id of the task
   */
  acceptBulk(wanted: NewRelatedItem[], bodyBytes: number, context: AddContext): Promise<string>;
  /** The related items of a version that the caller may read. */
  list(context: RelatedContext, query: ListQuery): Promise<Listing<Partial<RelatedItem>>>;
}

interface Deps {
  relatedItemStore: RelatedItemStore;
  bulkStore: BulkStore;
  versions: Versions;
  files: Files;
}

export function createRelatedItems({ relatedItemStore, bulkStore, versions, files }: Deps): RelatedItems {
  /** Checks all that the caller wants to add, and makes it. @throws 400, 403, 404 */
  async function prepare(wanted: NewRelatedItem[], transactional: boolean, context: AddContext) {
    const { item, namespace, access } = context;
    const owner = await ownerOf(versions, item, context.versionId);
    await requireFiles(files, wanted, (index) => `body.${index}`, context);
    const metadata = metadataOf({ byId: access.principal.id, at: Date.now() });
    const ids = () => ({ id: relatedItemStore.newId(), guid: randomUUID() });
    const rows = wanted.map((one) => newRelatedItem(one, { ...ids(), itemClass: item._itemClass, metadata }));
    const allowed = await allowedRelated(access, 'CREATE', item, namespace);
    if (!rows.every((row) => isAmong(allowed, row))) throw await access.refusal('CREATE', item._irn, [namespace]);
    return { owner, ...partitionValid(rows, transactional, (row) => relatedItemStore.checkSize(row)) };
  }

  return {
    async add(wanted, transactional, context) {
      const { owner, valid, failures } = await prepare(wanted, transactional, context);
      await relatedItemStore.insert(owner, valid);
      return { relatedItems: valid, failures };
    },

    async acceptBulk(wanted, bodyBytes, context) {
      const { owner, valid, failures } = await prepare(wanted, false, context);
      const request = { namespace: context.namespace, byId: context.access.principal.id, bodyBytes };
      return bulkStore.accept(owner, valid, failures, request);
    },

    async list({ item, versionId, namespace, access }, query) {
      const allowed = await allowedRelated(access, 'READ', item, namespace);
      return relatedItemStore.list(await ownerOf(versions, item, versionId), query, allowed);
    },
  };
}

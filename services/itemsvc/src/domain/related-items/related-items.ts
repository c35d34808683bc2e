import { randomUUID } from 'node:crypto';
import { commonErrors } from '@dtplatform/errors';
import type { Principal } from '@dtplatform/jwt';
import { errors } from '../../errors.js';
import type { Item } from '../items/item.js';
import { hasRelatedItems } from '../items/item-class.js';
import { metadataOf } from '../items/new-item.js';
import type { ItemStore } from '../items/ports.js';
import type { Found, ListQuery } from '../list-query.js';
import { sift } from '../partial-writes.js';
import type { Failure } from '../partial-writes.js';
import type { Files, Owner, RelatedItemStore } from './ports.js';
import { newRelatedItem } from './related-item.js';
import type { RelatedItem, RelatedItemDraft } from './related-item.js';

/** One call's item, version (the tip when undefined) and caller. */
interface RelatedContext {
  item: Item;
  versionId: string | undefined;
  namespace: string;
  principal: Principal;
  signal: AbortSignal;
}

export interface RelatedItems {
  /**
   * Adds related items to a version. Files must exist and be readable to the caller.
   * @param transactional all or none; otherwise entries that cannot be written are left out and told of
   */
  add(
    drafts: RelatedItemDraft[],
    transactional: boolean,
    context: RelatedContext,
  ): Promise<{ relatedItems: RelatedItem[]; failures: Failure[] }>;
  list(item: Item, versionId: string | undefined, query: ListQuery): Promise<Found<RelatedItem>>;
}

export interface RelatedItemsParts {
  store: RelatedItemStore;
  items: Pick<ItemStore, 'findOlderVersion'>;
  files: Files;
}

export function createRelatedItems({ store, items, files }: RelatedItemsParts): RelatedItems {
  async function ownerOf(item: Item, versionId: string | undefined): Promise<Owner> {
    if (!hasRelatedItems(item._itemClass)) throw errors.noRelatedItems();
    if (versionId === undefined || versionId === item._tipId) return { item, version: item._tip };
    const version = await items.findOlderVersion(item._id, versionId);
    if (!version) throw commonErrors.notFound();
    return { item, version };
  }

  async function checkFiles(drafts: RelatedItemDraft[], { principal, namespace, signal }: RelatedContext) {
    const ids = [...new Set(drafts.map(({ _fileId }) => _fileId as string))];
    const missing = await files.missing(ids, { token: principal.token, namespace, signal });
    if (missing.size === 0) return;
    const details = drafts.flatMap(({ _fileId }, index) =>
      missing.has(_fileId as string) ? [{ location: `body.${index}._fileId`, message: 'no such file' }] : [],
    );
    throw errors.fileMissing({ details: details.slice(0, 20) });
  }

  return {
    async add(drafts, transactional, context) {
      const { item, principal } = context;
      const owner = await ownerOf(item, context.versionId);
      if (item._itemClass === 'NamedFileCollection') await checkFiles(drafts, context);
      const metadata = metadataOf({ byId: principal.id, at: Date.now() });
      const rows = drafts.map((draft) =>
        newRelatedItem(draft, { id: store.newId(), guid: randomUUID(), itemClass: item._itemClass, metadata }),
      );
      const { good, failures } = sift(rows, transactional, (row) => store.checkSize(row));
      await store.insert(owner, good);
      return { relatedItems: good, failures };
    },

    async list(item, versionId, query) {
      return store.list(await ownerOf(item, versionId), query);
    },
  };
}

import type { Action, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { permissionNeeded } from '@dtplatform/permissions';
import type { Versions } from '../versions/versions.js';
import { allowedRelated, isAmong } from './collections.js';
import { requireFiles } from './file-references.js';
import { ownerOf } from './owners.js';
import type { Files, RelatedItemStore } from './ports.js';
import { changedRelatedItem } from './related-item.js';
import type { NewRelatedItem, RelatedItem, StoredRelatedItem } from './related-item.js';
import type { AddContext, RelatedContext } from './related-items.js';

/** Single related items. A caller whose permission has criteria finds those that match. */
export interface RelatedItemChanges {
  /** @throws 404 */
  get(id: string, context: RelatedContext): Promise<StoredRelatedItem>;
  /**
   * Replaces all fields. The caller must be permitted to edit the related item as it is and as it becomes.
   * @throws 403, 404, 412; 400 for a file that does not exist, 413 for a related item that is too large
   */
  replace(
    id: string,
    wanted: NewRelatedItem,
    context: AddContext,
    precondition: Precondition,
  ): Promise<StoredRelatedItem>;
  /** @throws 403, 404, 412 */
  remove(id: string, context: RelatedContext, precondition: Precondition): Promise<void>;
}

interface Deps {
  relatedItemStore: RelatedItemStore;
  versions: Versions;
  files: Files;
}

export function createRelatedItemChanges({ relatedItemStore, versions, files }: Deps): RelatedItemChanges {
  /** What the caller may do to one related item: throws as for a resource of its own. */
  async function checksFor(action: Action, { access, item, namespace }: RelatedContext) {
    const readable = await allowedRelated(access, 'READ', item, namespace);
    const allowed = await allowedRelated(access, action, item, namespace);
    const requireAllowed = (row: RelatedItem) => {
      if (!isAmong(allowed, row)) throw permissionNeeded({ action, resource: 'itemsvc:nameduseritem' }, [namespace]);
    };
    return {
      requireAllowed,
      requireFound: (row: RelatedItem) => {
        if (!isAmong(readable, row)) throw commonErrors.notFound();
        requireAllowed(row);
      },
    };
  }

  return {
    async get(id, context) {
      const { requireFound } = await checksFor('READ', context);
      const found = await relatedItemStore.find(await ownerOf(versions, context.item, context.versionId), id);
      if (!found) throw commonErrors.notFound();
      requireFound(found);
      return found;
    },

    async replace(id, wanted, context, precondition) {
      const { requireFound, requireAllowed } = await checksFor('EDIT', context);
      const owner = await ownerOf(versions, context.item, context.versionId);
      const found = await relatedItemStore.find(owner, id);
      if (!found) throw commonErrors.notFound();
      requireFound(found);
      await requireFiles(files, [wanted], () => 'body', context);
      const writing = { byId: context.access.principal.id, at: Date.now() };
      const change = (before: RelatedItem) => {
        requireFound(before);
        const changed = changedRelatedItem(before, wanted, writing);
        requireAllowed(changed);
        relatedItemStore.checkSize(changed);
        return changed;
      };
      const changed = await relatedItemStore.replace(owner, id, change, precondition);
      if (!changed) throw commonErrors.notFound();
      return changed;
    },

    async remove(id, context, precondition) {
      const { requireFound } = await checksFor('DELETE', context);
      const owner = await ownerOf(versions, context.item, context.versionId);
      if (!(await relatedItemStore.remove(owner, id, requireFound, precondition))) throw commonErrors.notFound();
    },
  };
}

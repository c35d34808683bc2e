import { randomUUID } from 'node:crypto';
import type { Action, Listing, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { permissionNeeded } from '@dtplatform/permissions';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { metadataOf } from '../nameduseritems/item-metadata.js';
import type { Item } from '../nameduseritems/item.js';
import { partitionValid } from '../nameduseritems/partial-writes.js';
import type { Failure } from '../nameduseritems/partial-writes.js';
import type { ListQuery } from '../query/parse-query.js';
import type { Versions } from '../versions/versions.js';
import type { BulkStore } from './bulk.store.js';
import { allowedRelated, isAmong, ownerOf } from './collections.js';
import type { Files } from './files.client.js';
import { changedRelatedItem, newRelatedItem } from './related-item.js';
import type { NewRelatedItem, RelatedItem, StoredRelatedItem } from './related-item.js';
import type { RelatedItemStore } from './related-items.store.js';

/** The version defaults to the tip. */
interface RelatedContext {
  item: Item;
  versionId: string | undefined;
  /** `nsfilter` */
  namespace: string;
  access: Access;
}
export interface AddContext extends RelatedContext {
  signal: AbortSignal;
}

interface Deps {
  relatedItemStore: RelatedItemStore;
  bulkStore: BulkStore;
  versions: Versions;
  files: Files;
}

export function createRelatedItems({ relatedItemStore, bulkStore, versions, files }: Deps) {
  /** Validates new related items and builds them. @throws 400, 403, 404 */
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
    /**
     * Adds related items to a version. Files must exist and be readable for the caller.
     * @param transactional all or nothing; otherwise invalid entries are left out and reported
     * @throws 403 if the caller's permission to create has criteria that an entry does not match
     */
    async add(
      wanted: NewRelatedItem[],
      transactional: boolean,
      context: AddContext,
    ): Promise<{ relatedItems: RelatedItem[]; failures: Failure[] }> {
      const { owner, valid, failures } = await prepare(wanted, transactional, context);
      await relatedItemStore.insert(owner, valid);
      return { relatedItems: valid, failures };
    },

    /**
     * Accepts related items for a task to add, not transactionally. Everything else, including rights, is checked now,
     * as in `add`.
     * @returns the id of the task
     */
    async acceptBulk(wanted: NewRelatedItem[], bodyBytes: number, context: AddContext): Promise<string> {
      const { owner, valid, failures } = await prepare(wanted, false, context);
      const request = { namespace: context.namespace, byId: context.access.principal.id, bodyBytes };
      return bulkStore.accept(owner, valid, failures, request);
    },

    /** The readable related items of a version. */
    async list(
      { item, versionId, namespace, access }: RelatedContext,
      query: ListQuery,
    ): Promise<Listing<Partial<RelatedItem>>> {
      const allowed = await allowedRelated(access, 'READ', item, namespace);
      return relatedItemStore.list(await ownerOf(versions, item, versionId), query, allowed);
    },
  };
}

export type RelatedItems = ReturnType<typeof createRelatedItems>;

interface ChangeDeps {
  relatedItemStore: RelatedItemStore;
  versions: Versions;
  files: Files;
}

/** Single related items. Criteria of the caller's permission determine which ones exist for it. */
export function createRelatedItemChanges({ relatedItemStore, versions, files }: ChangeDeps) {
  /** Checks an action on one related item; throws as for any resource. */
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
    /** @throws 404 */
    async get(id: string, context: RelatedContext): Promise<StoredRelatedItem> {
      const { requireFound } = await checksFor('READ', context);
      const found = await relatedItemStore.find(await ownerOf(versions, context.item, context.versionId), id);
      if (!found) throw commonErrors.notFound();
      requireFound(found);
      return found;
    },

    /**
     * Replaces all fields. The caller must be permitted to edit both the old and the new related item.
     * @throws 400 for a missing file, 403, 404, 412, 413 if it is too large
     */
    async replace(
      id: string,
      wanted: NewRelatedItem,
      context: AddContext,
      precondition: Precondition,
    ): Promise<StoredRelatedItem> {
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

    /** @throws 403, 404, 412 */
    async remove(id: string, context: RelatedContext, precondition: Precondition): Promise<void> {
      const { requireFound } = await checksFor('DELETE', context);
      const owner = await ownerOf(versions, context.item, context.versionId);
      if (!(await relatedItemStore.remove(owner, id, requireFound, precondition))) throw commonErrors.notFound();
    },
  };
}

export type RelatedItemChanges = ReturnType<typeof createRelatedItemChanges>;

const MAX_DETAILS = 20;

interface FilesContext {
  item: Item;
  /** `nsfilter` */
  namespace: string;
  access: Access;
  signal: AbortSignal;
}

/**
 * Checks the files of file items; items of other collections have none.
 * @param places path of each item in the request, such as `body.0`
 * @throws 400 if a file does not exist or is not readable
 */
async function requireFiles(
  files: Files,
  wanted: NewRelatedItem[],
  places: (index: number) => string,
  { item, access, namespace, signal }: FilesContext,
): Promise<void> {
  if (item._itemClass !== 'NamedFileCollection') return;
  const ids = [...new Set(wanted.map(({ _fileId }) => _fileId as string))];
  const missing = await files.missing(ids, { token: access.principal.token, namespace, signal });
  if (missing.size === 0) return;
  const details = wanted.flatMap(({ _fileId }, index) =>
    missing.has(_fileId as string)
      ? [{ location: `${places(index)}._fileId`, message: 'must be an existing file' }]
      : [],
  );
  throw errors.fileMissing({ details: details.slice(0, MAX_DETAILS) });
}

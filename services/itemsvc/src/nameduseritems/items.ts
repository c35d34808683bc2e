import type { Listing, PermissionEntry, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { requireDeletion, requireMove } from '@dtplatform/permissions';
import type { Access, Placed, Resources, Scope } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { narrowed } from '../query/parse-query.js';
import type { ListQuery, Projection } from '../query/parse-query.js';
import type { Version, VersionChoice } from '../versions/version.js';
import type { VersionStore } from '../versions/versions.js';
import type { Writing } from './item-metadata.js';
import { ITEM_ACTIONS, ITEM_TYPE, itemIn, newItem, showItem } from './item.js';
import type { Item, ItemChange, NewItem, ShownItem } from './item.js';
import { partitionValid } from './partial-writes.js';
import type { Failure } from './partial-writes.js';

/** Fields that are not given stay as they are. */
type StoredItemChange = Partial<ItemChange> & Pick<Item, '_namespaces' | '_home'>;

/** An item as it was when the rights to change it were decided. */
type DecidedItem = Placed & Pick<Item, '_id'>;

/** Where items are stored. Writes also report usage. They reject with a 412 unless the precondition is met. */
export interface ItemStore {
  newId(): string;
  /** @throws 413 when a version is larger than the database allows */
  checkSize(version: Version): void;
  /** All or none. */
  insert(items: Item[]): Promise<void>;
  /** An item of a namespace, by `_id` or `_userItemId`. */
  find(id: string, namespace: string): Promise<Item | undefined>;
  /** What a projection leaves of an item. */
  findProjected(id: string, projection: Projection): Promise<Partial<Item> | undefined>;
  list(query: ListQuery, scope: Scope): Promise<Listing<Partial<ShownItem>>>;
  /**
   * False when the item is gone.
   * @param grants what the caller gets once the change is committed
   * @throws 409 when the item is in other namespaces than it was
   */
  update(
    item: DecidedItem,
    change: StoredItemChange,
    writing: Writing,
    precondition: Precondition,
    grants: PermissionEntry[],
  ): Promise<boolean>;
  /**
   * Deletes the item at once; its older versions and related items follow. False when it is gone.
   * @throws 409 as `update`
   */
  remove(item: DecidedItem, precondition: Precondition): Promise<boolean>;
}

/** The context of a call that writes. */
interface WriteContext {
  /** `nsfilter` */
  namespace: string;
  access: Access;
}

/** Named items. */
export interface Items extends Required<Resources<Item>> {
  /**
   * Creates items. The caller must be permitted to create in all their namespaces.
   * @param transactional all or none; otherwise invalid entries are left out and reported
   */
  create(
    wanted: NewItem[],
    transactional: boolean,
    context: WriteContext,
  ): Promise<{ items: Item[]; failures: Failure[] }>;
  /**
   * The items of a namespace that the caller may read.
   * @param versionId the item alone that has this version, which is shown instead of the latest
   */
  list(query: ListQuery, namespace: string, access: Access, versionId?: string): Promise<Listing<Partial<ShownItem>>>;
  /** An item as callers see it: with the chosen versions in place of the tip, and the fields of a projection alone. */
  view(item: Item, choice: VersionChoice | undefined, projection: Projection | undefined): Promise<Partial<ShownItem>>;
  /**
   * @throws 403 as `requireMove` when the item would enter or leave a namespace, and when it would become one that the caller
   * may not edit; 409 when it was moved at the same time
   */
  update(item: Item, change: ItemChange, context: WriteContext, precondition: Precondition): Promise<void>;
  /** As `requireDeletion` says. @throws 403, 409 when it was moved at the same time */
  remove(item: Item, context: WriteContext, precondition: Precondition): Promise<void>;
}

export function createItems({ itemStore, versionStore }: { itemStore: ItemStore; versionStore: VersionStore }): Items {
  return {
    find: (id, namespace) => itemStore.find(id, namespace),

    async require(access, action, item, namespace) {
      await access.require(action, item && itemIn(item, namespace));
      return item!;
    },

    async create(wanted, transactional, { namespace, access }) {
      if (!wanted.every(({ _namespaces }) => _namespaces.includes(namespace))) throw errors.namespaceNotIncluded();
      const writing = { byId: access.principal.id, at: Date.now() };
      const ids = () => ({ item: itemStore.newId(), version: itemStore.newId() });
      const items = wanted.map((one) => newItem(one, namespace, ids(), writing));
      const { valid, failures } = partitionValid(items, transactional, ({ _tip }) => itemStore.checkSize(_tip));
      await access.own(...valid);
      await itemStore.insert(valid);
      return { items: valid, failures };
    },

    async list(query, namespace, access, versionId) {
      const scope = await access.scope('READ', ITEM_TYPE, [namespace]);
      if (versionId === undefined) return itemStore.list(query, scope);
      const { project } = query;
      // The id shows which item has the version, even if the caller did not ask for it.
      const withId = { ...query, allVersions: true, ...(project && { project: { ...project, withId: true } }) };
      const { list, total } = await itemStore.list(narrowed(withId, '_versions._id', versionId), scope);
      for (const item of list) {
        const chosen = await versionStore.choose(item._id!, { numbers: [], ids: [versionId] }, project);
        if (chosen) item._versions = chosen as Version[];
        if (project && !project.withId) delete item._id;
      }
      return { list, total };
    },

    async view(item, choice, projection) {
      const left = projection ? await itemStore.findProjected(item._id, projection) : item;
      if (!left) throw commonErrors.notFound();
      const shown = showItem(left, choice && (await versionStore.choose(item._id, choice, projection)));
      if (projection && !projection.withId) delete shown._id;
      return shown;
    },

    async update(item, change, { namespace, access }, precondition) {
      if (!change._namespaces.includes(namespace)) throw errors.namespaceNotIncluded();
      const { _irn, _itemClass } = item;
      const after = { _irn, _itemClass, _userType: change._userType, _namespaces: change._namespaces };
      const { home, grants } = await requireMove(access, item, { after, actions: ITEM_ACTIONS, context: namespace });
      await access.requireIn('EDIT', _irn, [namespace], after);
      const writing = { byId: access.principal.id, at: Date.now() };
      const placed = { ...change, _home: home };
      if (!(await itemStore.update(item, placed, writing, precondition, grants))) throw commonErrors.notFound();
    },

    async remove(item, { namespace, access }, precondition) {
      const left = await requireDeletion(access, item, namespace);
      const writing = { byId: access.principal.id, at: Date.now() };
      const isDone = left
        ? await itemStore.update(item, left, writing, precondition, [])
        : await itemStore.remove(item, precondition);
      if (!isDone) throw commonErrors.notFound();
    },
  };
}

import type { Action, Listing, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { requireDeletion, requireMove } from '@dtplatform/permissions';
import type { Access, Placed } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { narrowed } from '../query/parse-query.js';
import type { ListQuery, Projection } from '../query/parse-query.js';
import type { Version, VersionChoice } from '../versions/version.js';
import type { VersionStore } from '../versions/versions.store.js';
import { ITEM_ACTIONS, ITEM_TYPE, itemIn, newItem, showItem } from './item.js';
import type { Item, ItemChange, NewItem, ShownItem } from './item.js';
import type { ItemStore } from './items.store.js';
import { partitionValid } from './partial-writes.js';
import type { Failure } from './partial-writes.js';

/** Absent fields stay as they are. */
export type StoredItemChange = Partial<ItemChange> & Pick<Item, '_namespaces' | '_home'>;

/** The item against which the caller's rights were checked. */
export type DecidedItem = Placed & Pick<Item, '_id'>;

interface WriteContext {
  /** `nsfilter` */
  namespace: string;
  access: Access;
}

export function createItems({ itemStore, versionStore }: { itemStore: ItemStore; versionStore: VersionStore }) {
  return {
    find: (id: string, namespace: string): Promise<Item | undefined> => itemStore.find(id, namespace),

    async require(access: Access, action: Action, item: Item | undefined, namespace: string): Promise<Item> {
      await access.require(action, item && itemIn(item, namespace));
      return item!;
    },

    /**
     * Creates items. The caller must be permitted to create in all their namespaces.
     * @param transactional all or nothing; otherwise invalid entries are left out and reported
     */
    async create(
      wanted: NewItem[],
      transactional: boolean,
      { namespace, access }: WriteContext,
    ): Promise<{ items: Item[]; failures: Failure[] }> {
      if (!wanted.every(({ _namespaces }) => _namespaces.includes(namespace))) throw errors.namespaceNotIncluded();
      const writing = { byId: access.principal.id, at: Date.now() };
      const ids = () => ({ item: itemStore.newId(), version: itemStore.newId() });
      const items = wanted.map((one) => newItem(one, namespace, ids(), writing));
      const { valid, failures } = partitionValid(items, transactional, ({ _tip }) => itemStore.checkSize(_tip));
      await access.own(...valid);
      await itemStore.insert(valid);
      return { items: valid, failures };
    },

    /**
     * The readable items of a namespace.
     * @param versionId only the item with this version, which replaces its latest version in the response
     */
    async list(
      query: ListQuery,
      namespace: string,
      access: Access,
      versionId?: string,
    ): Promise<Listing<Partial<ShownItem>>> {
      const scope = await access.scope('READ', ITEM_TYPE, [namespace]);
      if (versionId === undefined) return itemStore.list(query, scope);
      const { project } = query;
      // The id maps the version to its item, even if the caller did not select it.
      const withId = { ...query, allVersions: true, ...(project && { project: { ...project, withId: true } }) };
      const { list, total } = await itemStore.list(narrowed(withId, '_versions._id', versionId), scope);
      for (const item of list) {
        const chosen = await versionStore.choose(item._id!, { numbers: [], ids: [versionId] }, project);
        if (chosen) item._versions = chosen as Version[];
        if (project && !project.withId) delete item._id;
      }
      return { list, total };
    },

    /** An item in a response, with the chosen versions and only the projected fields. */
    async view(
      item: Item,
      choice: VersionChoice | undefined,
      projection: Projection | undefined,
    ): Promise<Partial<ShownItem>> {
      const left = projection ? await itemStore.findProjected(item._id, projection) : item;
      if (!left) throw commonErrors.notFound();
      const shown = showItem(left, choice && (await versionStore.choose(item._id, choice, projection)));
      if (projection && !projection.withId) delete shown._id;
      return shown;
    },

    /** @throws 403 as `requireMove`, and if the caller may not edit the result; 409 if the item has moved */
    async update(
      item: Item,
      change: ItemChange,
      { namespace, access }: WriteContext,
      precondition: Precondition,
    ): Promise<void> {
      if (!change._namespaces.includes(namespace)) throw errors.namespaceNotIncluded();
      const { _irn, _itemClass } = item;
      const after = { _irn, _itemClass, _userType: change._userType, _namespaces: change._namespaces };
      const { home, grants } = await requireMove(access, item, { after, actions: ITEM_ACTIONS, context: namespace });
      await access.requireIn('EDIT', _irn, [namespace], after);
      const writing = { byId: access.principal.id, at: Date.now() };
      const placed = { ...change, _home: home };
      if (!(await itemStore.update(item, placed, writing, precondition, grants))) throw commonErrors.notFound();
    },

    /** @throws 403 as `requireDeletion`; 409 if the item has moved */
    async remove(item: Item, { namespace, access }: WriteContext, precondition: Precondition): Promise<void> {
      const left = await requireDeletion(access, item, namespace);
      const writing = { byId: access.principal.id, at: Date.now() };
      const isDone = left
        ? await itemStore.update(item, left, writing, precondition, [])
        : await itemStore.remove(item, precondition);
      if (!isDone) throw commonErrors.notFound();
    },
  };
}

export type Items = ReturnType<typeof createItems>;

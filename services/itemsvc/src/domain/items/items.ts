import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../../errors.js';
import { sift } from '../partial-writes.js';
import type { Failure } from '../partial-writes.js';
import { ITEM_TYPE } from './item.js';
import type { Item, Version } from './item.js';
import { newItem } from './new-item.js';
import type { ItemDraft, VersionDraft } from './new-item.js';
import type { Inspect, ItemChange, ItemStore } from './ports.js';

/** The context of a call that writes. */
interface WriteContext {
  /** `nsfilter` */
  namespace: string;
  access: Access;
}

export interface Items {
  /**
   * Creates items. The caller must be allowed to create in all their namespaces.
   * @param transactional all or none; otherwise entries that cannot be written are left out and told of
   */
  create(
    drafts: ItemDraft[],
    transactional: boolean,
    context: WriteContext,
  ): Promise<{ items: Item[]; failures: Failure[] }>;
  /** @throws 403 when the item would come to or leave a namespace where the caller may not create or delete it */
  update(item: Item, change: ItemChange, context: WriteContext, inspect: Inspect): Promise<void>;
  remove(item: Item, access: Access, inspect: Inspect): Promise<void>;
  /** Adds a version, which becomes the tip. */
  addVersion(item: Item, draft: VersionDraft, byId: string, inspect: Inspect): Promise<Version>;
}

export function createItems({ store }: { store: ItemStore }): Items {
  return {
    async create(drafts, transactional, { namespace, access }) {
      if (!drafts.every(({ _namespaces }) => _namespaces.includes(namespace))) throw errors.namespaceNotIncluded();
      const writing = { byId: access.principal.id, at: Date.now() };
      const items = drafts.map((draft) => newItem(draft, { item: store.newId(), version: store.newId() }, writing));
      const { good, failures } = sift(items, transactional, ({ _tip }) => store.checkSize(_tip));
      await own(good, access);
      await store.insert(good);
      return { items: good, failures };
    },

    async update(item, change, { namespace, access }, inspect) {
      if (!change._namespaces.includes(namespace)) throw errors.namespaceNotIncluded();
      await requireMove(item, change, access);
      const writing = { byId: access.principal.id, at: Date.now() };
      if (!(await store.update(item._id, change, writing, inspect))) throw commonErrors.notFound();
    },

    async remove(item, access, inspect) {
      // It goes from all its namespaces at once.
      await access.requireIn('DELETE', item._irn, item._namespaces);
      if (!(await store.remove(item._id, inspect))) throw commonErrors.notFound();
    },

    async addVersion(item, draft, byId, inspect) {
      const version = await store.addVersion(item._id, draft, { byId, at: Date.now() }, inspect);
      if (!version) throw commonErrors.notFound();
      return version;
    },
  };
}

/** How many grants are asked for at the same time. */
const OWN_AT_ONCE = 20;

async function own(items: Item[], access: Access): Promise<void> {
  for (let start = 0; start < items.length; start += OWN_AT_ONCE) {
    await Promise.all(items.slice(start, start + OWN_AT_ONCE).map((item) => access.own(item)));
  }
}

/** To come to a namespace is to be created there, to leave one is to be deleted there. */
async function requireMove(item: Item, { _namespaces }: ItemChange, access: Access): Promise<void> {
  const added = _namespaces.filter((namespace) => !item._namespaces.includes(namespace));
  const removed = item._namespaces.filter((namespace) => !_namespaces.includes(namespace));
  await access.requireIn('CREATE', `${ITEM_TYPE}:*`, added);
  await access.requireIn('DELETE', item._irn, removed);
  if (added.length > 0) await access.own({ _irn: item._irn, _namespaces: added });
}

import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import type { Listing, Paging } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { PermissionActionStore } from './permission-actions.store.js';

const Name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be 1 to 64 letters, digits or . _ -');
const MAX_ACTIONS = 100;

/** The actions of a resource type, identified by service and resource. */
export const PermissionAction = z.object({
  _id: ResourceId,
  _svc: Name.describe('The service of the resource, such as `itemsvc`.'),
  _resource: Name.describe('The type of the resource, such as `nameduseritem`.'),
  _actions: z
    .array(z.string().regex(/^([A-Za-z][A-Za-z0-9_-]{0,31}|\*)$/, 'must be 1 to 32 letters, digits or _ -, or *'))
    .max(MAX_ACTIONS)
    .describe('The actions that permissions on such resources can contain, such as `READ`; `*` for all.'),
});
export type PermissionAction = z.infer<typeof PermissionAction>;

export const PermissionActionKey = PermissionAction.pick({ _svc: true, _resource: true }).meta({
  id: 'PermissionActionKey',
  description: 'A type of resource of a service.',
});
export type PermissionActionKey = z.infer<typeof PermissionActionKey>;

export const ShownPermissionAction = PermissionAction.omit({ _id: true }).meta({
  id: 'PermissionAction',
  description: 'The actions on a type of resource.',
});
export type ShownPermissionAction = z.infer<typeof ShownPermissionAction>;

/** Drops duplicate actions. */
export const SentPermissionAction = ShownPermissionAction.extend({
  _actions: PermissionAction.shape._actions.transform((actions) => [...new Set(actions)]),
}).meta({
  id: 'PermissionActionInput',
  description: 'The actions on a type of resource; duplicates are dropped.',
});

export type PermissionActions = ReturnType<typeof createPermissionActions>;

export const createPermissionActions = ({
  permissionActionStore,
}: {
  permissionActionStore: PermissionActionStore;
}) => ({
  list: (key: Partial<PermissionActionKey>, paging: Paging): Promise<Listing<ShownPermissionAction>> =>
    permissionActionStore.list(key, paging),
  async put(record: ShownPermissionAction): Promise<ShownPermissionAction> {
    await permissionActionStore.put(record);
    return record;
  },
  async remove(key: PermissionActionKey): Promise<void> {
    if (!(await permissionActionStore.remove(key))) throw commonErrors.notFound();
  },
});

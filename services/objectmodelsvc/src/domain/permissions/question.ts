import { z } from 'zod';
import { ActionOrAll, IrnPattern, Namespace, ResourceId, Subject } from '@dtplatform/contracts';
import type { Grant } from '@dtplatform/contracts';
import { subjectOf } from '@dtplatform/permissions';
import type { Access } from '@dtplatform/permissions';
import { ShownPermission } from './permission.js';

/** One check: may this user do this to that resource? */
export const Question = z.object({
  _user: Subject,
  _action: ActionOrAll,
  _irn: IrnPattern,
  _namespace: Namespace,
  /** The fields of the resource that criteria compare. Without them, permissions with criteria do not count. */
  _resource: z
    .object({ _itemClass: z.string().max(1024).optional(), _userType: z.string().max(1024).optional() })
    .optional(),
});
export type Question = z.infer<typeof Question>;

/** Why a check was answered so, and the records that decide it: those that allow it, or those that do not suffice. */
export const Reason = z.object({
  _code: z.enum(['GRANTED', 'NO_PERMISSION', 'NO_ACTION', 'NOT_ALL']),
  _permissionIds: z.array(ResourceId),
});
export type Reason = z.infer<typeof Reason>;

export const Answer = Question.extend({ _allowed: z.boolean(), _reason: Reason.optional() });
export type Answer = z.infer<typeof Answer>;

/** Whether a caller asks about itself. */
export function isOwn({ _type, _id }: Subject, { principal }: Access): boolean {
  const own = subjectOf(principal);
  return own._type === _type && own._id === _id;
}

/** What a subject may do to the resources of one description, from all its permissions together. */
export const ShownGrant = ShownPermission.pick({ _resourceDesc: true, _actions: true });
export const showGrant = ({ _actions, ..._resourceDesc }: Grant): z.infer<typeof ShownGrant> => ({
  _resourceDesc,
  _actions,
});

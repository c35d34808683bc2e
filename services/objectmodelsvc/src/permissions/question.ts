import { z } from 'zod';
import { ActionOrAll, IrnPattern, Namespace, ResourceId, Subject } from '@dtplatform/contracts';
import type { Grant } from '@dtplatform/contracts';
import { Permission, subjectOf } from '@dtplatform/permissions';
import type { Access } from '@dtplatform/permissions';

/** A check: may this user do this to that resource? */
export const Question = z
  .object({
    _user: Subject,
    _action: ActionOrAll.describe('The action to check; `*` means every action.'),
    _irn: IrnPattern.describe('The resource name; `*` matches any service, type or id.'),
    _namespace: Namespace.describe('The namespace in which to check.'),
    _resource: z
      .object({
        _itemClass: z.string().max(1024).optional().describe('The class of the item.'),
        _userType: z.string().max(1024).optional().describe('The type of the item.'),
      })
      .optional()
      .describe('The fields that criteria match; without them, permissions with criteria do not apply.'),
  })
  .meta({ id: 'PermissionQuestion', description: 'Whether a subject may do something on a resource.' });
export type Question = z.infer<typeof Question>;

/**
 * The reason for a check's result, with the records that decide it: those that allow it, or those that do not suffice.
 */
export const Reason = z
  .object({
    _code: z
      .enum(['GRANTED', 'NO_PERMISSION', 'NO_ACTION', 'NOT_ALL'])
      .describe(
        '`NO_PERMISSION`: no permission covers the resource. `NO_ACTION`: none that covers it has the action. `NOT_ALL`: criteria do not match, or some actions are missing.',
      ),
    _permissionIds: z
      .array(ResourceId)
      .describe('The ids of the permissions that allow it or, if none does, that cover the resource.'),
  })
  .meta({ id: 'PermissionReason', description: 'The reason for an answer.' });
export type Reason = z.infer<typeof Reason>;

export const Answer = Question.extend({
  _allowed: z.boolean().describe('Whether the subject may do it.'),
  _reason: Reason.optional(),
}).meta({
  id: 'PermissionAnswer',
  description: 'A question and its answer; `_reason` only if reasons were requested.',
});
export type Answer = z.infer<typeof Answer>;

/** Whether callers ask about themselves. */
export function isOwn({ _type, _id }: Subject, { principal }: Access): boolean {
  const own = subjectOf(principal);
  return own._type === _type && own._id === _id;
}

/** A subject's actions on the resources of one description, from all its permissions together. */
export const ShownGrant = Permission.pick({ _resourceDesc: true, _actions: true }).meta({
  id: 'EffectivePermission',
  description: 'What a subject may do on some resources, by all its permissions together.',
});
export const showGrant = ({ _actions, ..._resourceDesc }: Grant): z.infer<typeof ShownGrant> => ({
  _resourceDesc,
  _actions,
});

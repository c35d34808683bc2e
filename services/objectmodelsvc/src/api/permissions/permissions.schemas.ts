import { z } from 'zod';
import {
  ActionOrAll,
  IrnPattern,
  Namespace,
  PermissionEntry,
  ResourceId,
  Subject,
  SubjectType,
} from '@dtplatform/contracts';
import { booleanParameter, pageOf, pagingParameters } from '@dtplatform/http';

const MAX_ENTRIES = 1000;

const Permission = PermissionEntry.extend({
  _id: z.string(),
  _metadata: z.object({
    _createdAt: z.number(),
    _updatedAt: z.number(),
    _createdById: z.string(),
    _updatedById: z.string(),
  }),
});

/** Entries are validated one by one, so that a bad one does not stop the others. */
export const PutPermissionsBody = z.array(z.unknown()).max(MAX_ENTRIES);

const RefusedEntry = z.looseObject({ _index: z.number(), code: z.string(), message: z.string() });
export const PutPermissionsReply = z.object({
  _offset: z.number(),
  _list: z.object({
    _success: z.array(Permission.extend({ _status: z.number() })),
    _failures: z.array(RefusedEntry),
  }),
});

export const ListPermissionsQuery = z.object({
  _namespace: Namespace,
  '_resourceDesc._irn': IrnPattern,
  '_user._id': z.string().min(1).max(128),
  '_user._type': SubjectType,
  patternmatch: booleanParameter,
  ...pagingParameters(),
});
export type ListPermissionsQuery = z.infer<typeof ListPermissionsQuery>;
export const PermissionPage = pageOf(Permission);

export const PermissionParams = z.object({ id: ResourceId });
export type PermissionParams = z.infer<typeof PermissionParams>;

const Question = z.object({ _user: Subject, _action: ActionOrAll, _irn: IrnPattern, _namespace: Namespace });
export const CheckPermissionsBody = z.array(Question).max(MAX_ENTRIES);
export type CheckPermissionsBody = z.infer<typeof CheckPermissionsBody>;
export const CheckPermissionsReply = z.object({ _list: z.array(Question.extend({ _allowed: z.boolean() })) });

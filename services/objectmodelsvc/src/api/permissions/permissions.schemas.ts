import { z } from 'zod';
import { fewNamespaces, GroupMembers, MAX_PERMISSION_ENTRIES, ResourceId } from '@dtplatform/contracts';
import { booleanParameter, pageOf, pagingParameters } from '@dtplatform/http';
import { Question, RefusedEntry, ShownPermission } from '../../domain/permissions/permission.js';

const InNamespace = z.object({ _namespace: z.string() });

/** Entries are validated one by one, so that an invalid entry does not block the others. */
export const PutPermissionsBody = z
  .array(z.unknown())
  .max(MAX_PERMISSION_ENTRIES)
  .superRefine(
    fewNamespaces((entry) => {
      const { success, data } = InNamespace.safeParse(entry);
      return success ? [data._namespace] : [];
    }),
  );
export const PutPermissionsReply = z.object({
  _offset: z.number(),
  _list: z.object({
    _success: z.array(ShownPermission.extend({ _status: z.number() })),
    _failures: z.array(RefusedEntry),
  }),
});

const { _namespace, _user, _resourceDesc } = ShownPermission.shape;
export const ListPermissionsQuery = z.object({
  _namespace,
  '_resourceDesc._irn': _resourceDesc.shape._irn,
  '_user._id': _user.shape._id,
  '_user._type': _user.shape._type,
  patternmatch: booleanParameter,
  ...pagingParameters(),
});
export const PermissionPage = pageOf(ShownPermission);

export const PermissionParams = z.object({ id: ResourceId });
export const GroupParams = z.object({ id: ResourceId });
export const PutGroupReply = GroupMembers.pick({ _revision: true });

export const CheckPermissionsBody = z
  .array(Question)
  .max(MAX_PERMISSION_ENTRIES)
  .superRefine(fewNamespaces(({ _namespace }) => [_namespace]));
export const CheckPermissionsReply = z.object({ _list: z.array(Question.extend({ _allowed: z.boolean() })) });

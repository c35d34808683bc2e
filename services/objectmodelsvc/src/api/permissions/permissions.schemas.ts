import { z } from 'zod';
import { fewNamespaces, GroupMembers, MAX_PERMISSION_ENTRIES, ResourceId, Subject } from '@dtplatform/contracts';
import { booleanParameter, pageOf, pagingParameters } from '@dtplatform/http';
import { AuditEntry } from '../../domain/permissions/audit.js';
import { ShownPermission } from '../../domain/permissions/permission.js';
import { Answer, Question, ShownGrant } from '../../domain/permissions/question.js';
import { RefusedEntry } from '../../domain/permissions/sent-entry.js';

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

export const AuditPermissionsQuery = z.object({
  _namespace,
  '_user._id': _user.shape._id.optional().describe('Changes for this subject alone.'),
  ...pagingParameters(),
});
export const AuditPage = pageOf(AuditEntry);

export const PermissionParams = z.object({ id: ResourceId });
export const DeletePermissionQuery = z.object({
  _service: z.string().max(64).optional().describe('A permission on resources of another service is a 404.'),
});
export const GroupParams = z.object({ id: ResourceId });
export const ProfileParams = z.object({ id: ResourceId });
export const UserParams = z.object({ id: Subject.shape._id });
export const PutGroupReply = GroupMembers.pick({ _revision: true });

export const CheckPermissionsBody = z
  .array(Question)
  .max(MAX_PERMISSION_ENTRIES)
  .superRefine(fewNamespaces(({ _namespace }) => [_namespace]));
export const CheckPermissionsQuery = z.object({
  reasons: booleanParameter.default(false).describe('Also names the permissions that decide each answer.'),
});
export const CheckPermissionsReply = z.object({ _list: z.array(Answer) });

export const EffectivePermissionsQuery = z.object({
  _namespace,
  '_user._id': _user.shape._id,
  '_user._type': _user.shape._type.default('user'),
  ...pagingParameters(),
});
export const EffectivePermissionsPage = pageOf(ShownGrant);

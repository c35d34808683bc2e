import { z } from 'zod';
import { fewNamespaces, GroupMembers, MAX_PERMISSION_ENTRIES, ResourceId, Subject } from '@dtplatform/contracts';
import { booleanParameter, pageOf, pagingParameters } from '@dtplatform/http';
import { Permission } from '@dtplatform/permissions';
import { AuditEntry } from './audit.js';
import { HOLDING_SCOPES } from './permission.js';
import { Answer, Question, ShownGrant } from './question.js';
import { ShownEntry } from './write-entries.js';

const InNamespace = z.object({ _namespace: z.string() });

/** Entries are validated one by one, so that an invalid entry does not block the others. */
export const PutPermissionsBody = z
  .array(z.unknown())
  .max(MAX_PERMISSION_ENTRIES)
  .refine(
    ...fewNamespaces((entry) => {
      const { success, data } = InNamespace.safeParse(entry);
      return success ? [data._namespace] : [];
    }),
  );
export const ShownPermissionsBody = z.array(ShownEntry).max(MAX_PERMISSION_ENTRIES);

const { _namespace, _user, _resourceDesc } = Permission.shape;
export const ListPermissionsQuery = z.object({
  _namespace,
  '_resourceDesc._irn': _resourceDesc.shape._irn,
  '_user._id': _user.shape._id,
  '_user._type': _user.shape._type,
  patternmatch: booleanParameter.describe(
    'Whether to include permissions whose patterns cover the resources or are covered by them.',
  ),
  ...pagingParameters(),
});

export const AuditPermissionsQuery = z.object({
  _namespace: _namespace.describe('The namespace whose changes are listed.'),
  '_user._id': _user.shape._id.optional().describe('Only changes for this subject.'),
  ...pagingParameters(),
});
export const AuditPage = pageOf(AuditEntry).meta({
  id: 'PermissionChangePage',
  description: 'A page of permission changes.',
});

export const PermissionParams = z.object({ id: ResourceId.describe('The id of the permission.') });
export const DeletePermissionQuery = z.object({
  _service: z
    .string()
    .max(64)
    .optional()
    .describe(
      'The service whose resources the permission is for. Permissions on resources of another service return a 404.',
    ),
});
export const GroupParams = z.object({ id: ResourceId.describe('The id of the group.') });
export const ProfileParams = z.object({ id: ResourceId.describe('The id of the permission profile.') });
export const AppParams = z.object({ id: Subject.shape._id.describe('The id of the app.') });
export const UserParams = z.object({ id: Subject.shape._id.describe('The id of the user.') });
export const PutGroupResponse = GroupMembers.pick({ _revision: true }).meta({
  id: 'GroupRevision',
  description: 'The revision of the members sent.',
});

export const CheckPermissionsBody = z
  .array(Question)
  .max(MAX_PERMISSION_ENTRIES)
  .refine(...fewNamespaces(({ _namespace }: Question) => [_namespace]));
export const CheckPermissionsQuery = z.object({
  reasons: booleanParameter
    .default(false)
    .describe('Whether to include the permissions that decide each answer; false by default.'),
});
export const CheckPermissionsResponse = z
  .object({ _list: z.array(Answer).describe('The answers, in the order of the questions.') })
  .meta({ id: 'PermissionAnswers', description: 'The answers to all questions of a call.' });

export const PermissionHoldersQuery = z.object({
  _namespace,
  '_resourceDesc._irn': _resourceDesc.shape._irn,
  scope: z
    .enum(HOLDING_SCOPES)
    .default('covering')
    .describe(
      '`covering` lists the permissions that apply to the resource (the default), `exact` those with exactly this pattern, `all` also those on parts of a pattern, such as on single files.',
    ),
  ...pagingParameters(),
});

export const EffectivePermissionsQuery = z.object({
  _namespace,
  '_user._id': _user.shape._id,
  '_user._type': _user.shape._type.default('user').describe('The kind of the subject; `user` by default.'),
  ...pagingParameters(),
});
export const EffectivePermissionsPage = pageOf(ShownGrant).meta({
  id: 'EffectivePermissionPage',
  description: 'A page of what a subject may do.',
});

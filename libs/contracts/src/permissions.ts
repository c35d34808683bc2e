import { z } from 'zod';
import { Identifier, MAX_NAMESPACES, Namespace, ResourceId } from './names.js';

/** All actions that a permission can contain. `*` stands for all of them. */
export const ACTIONS = ['READ', 'CREATE', 'EDIT', 'DELETE', 'SHARE', 'RUN', 'ASSIGN'] as const;
export const Action = z.enum(ACTIONS);
export type Action = z.infer<typeof Action>;
export const ActionOrAll = z.enum([...ACTIONS, '*']);

/** The subject of a permission. Only the platform uses `app`, for an app in its own namespaces. */
export const SubjectType = z
  .enum(['user', 'usergroup', 'permprofile', 'app'])
  .describe('The kind of the subject. Only the platform itself sets permissions of apps.');
export const Subject = z
  .object({ _type: SubjectType, _id: Identifier.min(1).max(128).describe('The id of the subject.') })
  .meta({ id: 'Subject', description: 'The subject of a permission.' });
export type Subject = z.infer<typeof Subject>;

/** Resource name: `service:type:id`; `*` matches any part. */
export const IrnPattern = Identifier.max(256).regex(
  /^[^:\s]+:[^:\s]+:[^:\s]+$/,
  'must be three parts joined by colons',
);

/** Fields with required values; all must match. */
export type Criteria = Readonly<Record<string, string | number | boolean>>;

const MAX_CRITERIA = 10;
const Value = z.string().max(1024);
/** Criteria for named items. */
const ItemCriteria = z
  .strictObject({
    _itemClass: Value.optional().describe('The class that the items must have.'),
    _userType: Value.optional().describe('The type that the items must have.'),
  })
  .refine((criteria) => Object.keys(criteria).length > 0, 'must name a field');
/** Criteria for related items, on fields that callers define. Paths into fields are not supported. */
const RelatedItemCriteria = z
  .record(
    z
      .string()
      .min(1)
      .max(128)
      .regex(/^(?!__proto__$)[^.$\x00][^.\x00]*$/, 'must be the name of a field'),
    z.union([Value, z.number(), z.boolean()]),
  )
  .refine((criteria) => Object.keys(criteria).length <= MAX_CRITERIA, `at most ${MAX_CRITERIA} fields`);
const SubresourceDesc = z.strictObject({
  _type: z.literal('relateditem').describe('Always related items.'),
  _criteria: RelatedItemCriteria.optional().describe('Fields and the values that the related items must have.'),
});

/** The resources that match a pattern, optionally restricted by criteria on them or on their related items. */
export const ResourceDesc = z
  .object({
    _irn: IrnPattern.describe('Service, type and id joined by colons; `*` matches any.'),
    _criteria: ItemCriteria.optional().describe('The criteria for named items.'),
    _subresourceDesc: SubresourceDesc.optional().describe('Limits the permission to related items of these items.'),
  })
  .meta({ id: 'ResourceDesc', description: 'The resources that a permission is for.' });
export type ResourceDesc = z.infer<typeof ResourceDesc>;

/** The actions of one subject in one namespace. */
export const Grant = ResourceDesc.extend({
  _irn: z.string().describe('Service, type and id joined by colons; `*` matches any.'),
  _actions: z.array(ActionOrAll).describe('What the subject may do; `*` means every action.'),
}).meta({ id: 'Grant', description: 'What a subject may do on some resources.' });
export type Grant = z.infer<typeof Grant>;

/** `POST /permissions/grants`: all grants of a subject in a namespace. For trusted clients. */
export const GrantsRequest = z
  .object({ _user: Subject, _namespace: Namespace })
  .meta({ id: 'GrantsRequest', description: 'The subject and namespace whose grants to list.' });
export const GrantsResponse = z
  .object({
    _list: z
      .array(Grant.pick({ _irn: true, _actions: true }))
      .describe('The grants without `_criteria` and `_subresourceDesc`.'),
    _limited: z.array(Grant).optional().describe('The grants with `_criteria` or `_subresourceDesc`.'),
  })
  .meta({ id: 'Grants', description: 'All grants of a subject in a namespace, including those of its groups.' });

/** `POST /permissions/namespaces`: the namespaces in which a subject has any permission. For trusted clients. */
export const NamespacesRequest = z
  .object({ _user: Subject })
  .meta({ id: 'NamespacesRequest', description: 'The subject whose namespaces to list.' });
export const NamespacesResponse = z
  .object({ _list: z.array(Namespace).describe('The namespaces.') })
  .meta({ id: 'PermittedNamespaces', description: 'The namespaces in which a subject holds any permission.' });

/** `POST /permissions/close`: permanently ends all permissions in namespaces. For trusted clients. */
export const CloseRequest = z
  .object({ _namespaces: z.array(Namespace).min(1).max(MAX_NAMESPACES).describe('The namespaces to close.') })
  .meta({ id: 'NamespacesToClose', description: 'Namespaces in which all permissions end.' });
export const CloseResponse = z
  .object({ _namespaces: z.array(Namespace).describe('The namespaces that are closed.') })
  .meta({ id: 'ClosedNamespaces', description: 'Namespaces in which all permissions have ended.' });

/** Maximum number of entries of `PUT /permissions`. */
export const MAX_PERMISSION_ENTRIES = 1000;

/** One entry of `PUT /permissions`. */
export const PermissionEntry = z
  .object({
    _namespace: Namespace.describe('The namespace in which the permission applies.'),
    _resourceDesc: ResourceDesc,
    _user: Subject,
    _actions: z
      .array(ActionOrAll)
      .min(1)
      .max(ACTIONS.length + 1)
      .describe('What the subject may do; `*` means every action.'),
  })
  .meta({ id: 'PermissionEntry', description: 'A permission to grant.' });
export type PermissionEntry = z.infer<typeof PermissionEntry>;

/** Maximum number of members of a user group: a change of its permissions touches the epoch of each. */
export const MAX_GROUP_MEMBERS = 1000;

/** `PUT /permissions/usergroups/{id}`: the members of a group. For trusted clients. */
export const GroupMembers = z
  .object({
    _revision: z.number().int().min(0).describe('Increases with every change of the group; older states are ignored.'),
    _memberIds: z.array(ResourceId).max(MAX_GROUP_MEMBERS).describe('The ids of the users in the group.'),
    _namespaces: z.array(Namespace).max(MAX_NAMESPACES).describe('The namespaces that the group belongs to.'),
    _deleted: z
      .boolean()
      .describe('Whether the group was deleted. If so, nothing can be granted to it, and all permissions on it end.'),
  })
  .meta({ id: 'GroupMembers', description: 'The members of a group.' });
export type GroupMembers = z.infer<typeof GroupMembers>;

export const permissionProfileIrn = (id: string): string => `passportsvc:permissionprofile:${id}`;

/** `DELETE /permissions/permissionprofiles/{id}`: the namespaces of a deleted profile. For trusted clients. */
export const RemovedProfile = z
  .object({ _namespaces: z.array(Namespace).max(MAX_NAMESPACES).describe('The namespaces that it belonged to.') })
  .meta({ id: 'RemovedProfile', description: 'A permission profile that was deleted.' });

/** The Redis keys that every service reads on each request. */
export const accessKeys = {
  /** Changes with every write to the subject's permissions. */
  epoch: (subject: Subject) => `access:epoch:${subject._type}:${subject._id}`,
  /** If present, rejects tokens: for a subject or app, those issued before this time (in seconds); for a grant, all. */
  notBefore: (kind: 'subject' | 'app' | 'grant', id: string) => `access:notbefore:${kind}:${id}`,
};

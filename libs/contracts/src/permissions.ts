import { z } from 'zod';
import { MAX_NAMESPACES, Namespace, ResourceId } from './names.js';

/** All actions that a permission can name. `*` stands for every one. */
export const ACTIONS = ['READ', 'CREATE', 'EDIT', 'DELETE', 'SHARE', 'RUN', 'ASSIGN'] as const;
export const Action = z.enum(ACTIONS);
export type Action = z.infer<typeof Action>;
export const ActionOrAll = z.enum([...ACTIONS, '*']);

/** Whom a permission is for. `app` is set by the platform itself, for an app in its own namespaces. */
export const SubjectType = z.enum(['user', 'usergroup', 'permprofile', 'app']);
export const Subject = z.object({ _type: SubjectType, _id: z.string().min(1).max(128) });
export type Subject = z.infer<typeof Subject>;

/** Resource name: service, resource type and resource id joined by colons; `*` may stand for a part. */
export const IrnPattern = z
  .string()
  .max(256)
  .regex(/^[^:\s]+:[^:\s]+:[^:\s]+$/, 'must be three parts joined by colons');

/** What one subject may do to the resources that a pattern covers, in one namespace. */
export const Grant = z.object({ _irn: z.string(), _actions: z.array(ActionOrAll) });
export type Grant = z.infer<typeof Grant>;

/** `POST /permissions/grants`: all grants of a subject in a namespace. For trusted clients. */
export const GrantsRequest = z.object({ _user: Subject, _namespace: Namespace });
export const GrantsReply = z.object({ _list: z.array(Grant) });

/** `POST /permissions/namespaces`: the namespaces in which a subject holds any permission. For trusted clients. */
export const NamespacesRequest = z.object({ _user: Subject });
export const NamespacesReply = z.object({ _list: z.array(Namespace) });

/** `POST /permissions/close`: ends all permissions in namespaces, for good. For trusted clients. */
export const CloseRequest = z.object({ _namespaces: z.array(Namespace).min(1).max(MAX_NAMESPACES) });
export const CloseReply = z.object({ _namespaces: z.array(Namespace) });

/** How many entries `PUT /permissions` takes. */
export const MAX_PERMISSION_ENTRIES = 1000;

/** One entry of `PUT /permissions`. */
export const PermissionEntry = z.object({
  _namespace: Namespace,
  _resourceDesc: z.object({ _irn: IrnPattern }),
  _user: Subject,
  _actions: z
    .array(ActionOrAll)
    .min(1)
    .max(ACTIONS.length + 1),
});
export type PermissionEntry = z.infer<typeof PermissionEntry>;

/** How many members a user group has at most: a change of its permissions touches the epoch of each of them. */
export const MAX_GROUP_MEMBERS = 1000;

/** `PUT /permissions/usergroups/{id}`: the members of a group, for whom its permissions count. For trusted clients. */
export const GroupMembers = z.object({
  /** Rises with every change. A state never replaces a newer one. */
  _revision: z.number().int().min(0),
  _memberIds: z.array(ResourceId).max(MAX_GROUP_MEMBERS),
  /** The group's own namespaces. */
  _namespaces: z.array(Namespace).max(MAX_NAMESPACES),
  /** The group is gone: nothing is granted to it any more, and nobody holds anything on it. */
  _deleted: z.boolean(),
});
export type GroupMembers = z.infer<typeof GroupMembers>;

/** Names of the keys in Redis that every service reads with each request. */
export const accessKeys = {
  /** Changes with every write to what the subject may do. */
  epoch: (subject: Subject) => `access:epoch:${subject._type}:${subject._id}`,
  /** Present when tokens are refused: of a subject or app those issued before its value (in seconds), of a grant all. */
  notBefore: (kind: 'subject' | 'app' | 'grant', id: string) => `access:notbefore:${kind}:${id}`,
};

import { z } from 'zod';
import {
  ActionOrAll,
  IrnPattern,
  Metadata,
  Namespace,
  PermissionEntry,
  ResourceId,
  Subject,
} from '@dtplatform/contracts';

/** A stored permission (docs/contract.md, "Permission"). */
export const Permission = PermissionEntry.extend({
  _id: ResourceId,
  _metadata: Metadata.omit({ _createdByName: true, _updatedByName: true }),
  _revision: z.number().int().min(0),
});
export type Permission = z.infer<typeof Permission>;

/** A permission as callers see it. */
export const ShownPermission = Permission.omit({ _revision: true });
export const showPermission = ({ _revision, ...shown }: Permission): z.infer<typeof ShownPermission> => shown;

/** Stands for the record that an entry writes: of entries with the same key, the later one replaces the earlier one. */
export const recordKey = ({ _namespace, _user, _resourceDesc }: PermissionEntry): string =>
  JSON.stringify([_namespace, _user._type, _user._id, _resourceDesc._irn]);

/** A permission after a write that created or replaced it. */
export type WrittenPermission = Permission & { isNew: boolean };

/** A refused entry of a write: its position, the reason, and whatever else the caller sent in it. */
export const RefusedEntry = z.looseObject({ _index: z.number(), code: z.string(), message: z.string() });
export type RefusedEntry = z.infer<typeof RefusedEntry>;

/** One check: may this user do this to that resource? */
export const Question = z.object({ _user: Subject, _action: ActionOrAll, _irn: IrnPattern, _namespace: Namespace });
export type Question = z.infer<typeof Question>;

/** All patterns that cover a resource name: each of its parts is either itself or `*`. */
export function coveringPatterns(irn: string): string[] {
  return irn
    .split(':')
    .reduce<string[]>((prefixes, part) => prefixes.flatMap((prefix) => join(prefix, new Set([part, '*']))), ['']);
}

const join = (prefix: string, parts: Set<string>) => [...parts].map((part) => (prefix ? `${prefix}:${part}` : part));

import { z } from 'zod';
import type { PermissionEntry, Subject } from '@dtplatform/contracts';
import { Permission as ShownPermission } from '@dtplatform/permissions';
import type { Access } from '@dtplatform/permissions';

/** A stored permission (docs/contract.md, "Permissions"). */
export const Permission = ShownPermission.extend({ _revision: z.number().int().min(0) });
export type Permission = z.infer<typeof Permission>;

export const showPermission = ({ _revision, ...shown }: Permission): z.infer<typeof ShownPermission> => shown;

/** Identifies the record that an entry writes: of entries with the same key, the later one replaces the earlier one. */
export function recordKey({ _namespace, _user, _resourceDesc }: PermissionEntry): string {
  const { _irn, _criteria, _subresourceDesc } = _resourceDesc;
  return JSON.stringify([_namespace, _user._type, _user._id, _irn, _criteria ?? null, _subresourceDesc ?? null]);
}

/** Whether a caller may do this to everything that a permission covers. */
export function holds(
  access: Access,
  action: PermissionEntry['_actions'][number],
  { _namespace, _resourceDesc: { _irn, _criteria, _subresourceDesc } }: PermissionEntry,
): Promise<boolean> {
  return access.may(action, _irn, [_namespace], {
    ...(_criteria && { fields: _criteria }),
    ...(_subresourceDesc && { related: _subresourceDesc._criteria ?? {} }),
  });
}

export type WrittenPermission = Permission & { isNew: boolean };

/** All patterns that cover a resource name: each part is either itself or `*`. */
export function coveringPatterns(irn: string): string[] {
  return irn
    .split(':')
    .reduce<string[]>((prefixes, part) => prefixes.flatMap((prefix) => join(prefix, new Set([part, '*']))), ['']);
}

const join = (prefix: string, parts: Set<string>) => [...parts].map((part) => (prefix ? `${prefix}:${part}` : part));

/** Which records belong to `irn`: those that cover it, those with exactly it, or also those that it covers. */
export const HOLDING_SCOPES = ['covering', 'exact', 'all'] as const;

/** What a permission is held on. */
export interface Holding {
  namespace: string;
  irn: string;
  scope: (typeof HOLDING_SCOPES)[number];
}

export interface PermissionQuery extends Omit<Holding, 'scope'> {
  user: Subject;
  /** Also finds records whose pattern covers `irn`, and records that `irn` covers if it is a pattern. */
  patternMatch: boolean;
}

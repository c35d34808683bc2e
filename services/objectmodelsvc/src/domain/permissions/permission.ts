import type { PermissionEntry } from '@dtplatform/contracts';

/** A permission as it is stored and shown (contract: Permission). */
export interface Permission extends PermissionEntry {
  _id: string;
  _metadata: { _createdAt: number; _updatedAt: number; _createdById: string; _updatedById: string };
}

/** A written permission; `_status` is 201 when it is new and 200 when it replaced one. */
export type WrittenPermission = Permission & { _status: number };

/** The patterns that cover a resource name: each part as it is, or open. */
export function coveringPatterns(irn: string): string[] {
  return irn
    .split(':')
    .reduce<string[]>((prefixes, part) => prefixes.flatMap((prefix) => join(prefix, new Set([part, '*']))), ['']);
}

const join = (prefix: string, parts: Set<string>) => [...parts].map((part) => (prefix ? `${prefix}:${part}` : part));

import type { Metadata } from '@dtplatform/contracts';

/** The caller that a change is attributed to. */
export interface Author {
  id: string;
  name: string;
}

export function createdBy({ id, name }: Author, nowMs = Date.now()): Metadata {
  return {
    _createdAt: nowMs,
    _updatedAt: nowMs,
    _createdById: id,
    _updatedById: id,
    _createdByName: name,
    _updatedByName: name,
  };
}

/** The time always increases, because the entity tag is derived from it. */
export const touchedBy = ({ id, name }: Author, before: Metadata, nowMs = Date.now()): Metadata => ({
  ...before,
  _updatedAt: Math.max(nowMs, before._updatedAt + 1),
  _updatedById: id,
  _updatedByName: name,
});

import type { Metadata } from '@dtplatform/contracts';

/** Who does something, as it is kept with what was done. */
export interface Author {
  id: string;
  name: string;
}

/** Metadata of what is made now. */
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

/** Metadata after a change. The time always rises: the entity tag is made of it. */
export const touchedBy = ({ id, name }: Author, before: Metadata): Metadata => ({
  ...before,
  _updatedAt: Math.max(Date.now(), before._updatedAt + 1),
  _updatedById: id,
  _updatedByName: name,
});

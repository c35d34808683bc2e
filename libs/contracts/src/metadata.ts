import type { Metadata } from './names.js';

/** The principal behind a write, as metadata records it. */
export interface Author {
  id: string;
  name: string;
}

/** Metadata of a resource that is created now. */
export const createdBy = ({ id, name }: Author, nowMs = Date.now()): Metadata => ({
  _createdAt: nowMs,
  _updatedAt: nowMs,
  _createdById: id,
  _updatedById: id,
  _createdByName: name,
  _updatedByName: name,
});

/** Metadata of a resource that is changed now. */
export const touchedBy = ({ id, name }: Author, before: Metadata, nowMs = Date.now()): Metadata => ({
  ...before,
  _updatedAt: nowMs,
  _updatedById: id,
  _updatedByName: name,
});

import type { Metadata } from './names.js';

/** The principal that made a write, as recorded in metadata. */
export interface Author {
  id: string;
  name: string;
}

export const createdBy = ({ id, name }: Author, nowMs = Date.now()): Metadata => ({
  _createdAt: nowMs,
  _updatedAt: nowMs,
  _createdById: id,
  _updatedById: id,
  _createdByName: name,
  _updatedByName: name,
});

export const touchedBy = ({ id, name }: Author, before: Metadata, nowMs = Date.now()): Metadata => ({
  ...before,
  _updatedAt: nowMs,
  _updatedById: id,
  _updatedByName: name,
});

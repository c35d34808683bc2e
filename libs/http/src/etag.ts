import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { commonErrors } from '@dtplatform/errors';

interface Versioned {
  _id?: unknown;
  id?: unknown;
  _metadata?: unknown;
}

/**
 * The entity tag of a resource (RFC 9110, section 8.8.3), made of what changes with every write: its id and metadata,
 * and its tip where it has versions.
 */
export function etagOf(resource: object): string {
  const { _id, id, _metadata, ...rest } = resource as Versioned & Record<string, unknown>;
  const state = JSON.stringify([_id ?? id, _metadata, rest._tipId, rest._status, rest._updatedat]);
  return `"${createHash('md5').update(state).digest('base64url')}"`;
}

/** Whether a GET or HEAD names, in `If-None-Match`, the state that the resource has (RFC 9110, section 13.1.2). */
export function isNotModified(req: IncomingMessage, etag: string): boolean {
  const known = req.headers['if-none-match'];
  if (!known || (req.method !== 'GET' && req.method !== 'HEAD')) return false;
  return known === '*' || tagsIn(known).some((tag) => tag.replace(/^W\//, '') === etag);
}

/** @throws 412 when the request's `If-Match` names another state than the resource has (RFC 9110, section 13.1.1) */
export function checkIfMatch(req: IncomingMessage, resource: unknown): void {
  const expected = req.headers['if-match'];
  if (!expected || expected === '*' || typeof resource !== 'object' || resource === null) return;
  if (!tagsIn(expected).includes(etagOf(resource))) throw commonErrors.preconditionFailed();
}

const tagsIn = (header: string) => header.split(',').map((tag) => tag.trim());

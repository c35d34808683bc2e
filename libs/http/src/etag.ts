import type { IncomingMessage } from 'node:http';
import type { Precondition } from '@dtplatform/contracts';

const REVISION = /^"(\d{1,15})"$/;

/** The entity tag of a resource (RFC 9110, section 8.8.3): its stored revision, which every write raises. */
export const etagOf = (revision: number): string => `"${revision}"`;

/** Whether a GET or HEAD names, in `If-None-Match`, the state that the resource has (RFC 9110, section 13.1.2). */
export function isNotModified({ method, headers }: IncomingMessage, etag: string): boolean {
  const known = headers['if-none-match'];
  if (!known || (method !== 'GET' && method !== 'HEAD')) return false;
  return known === '*' || tagsIn(known).some((tag) => opaque(tag) === opaque(etag));
}

/** The revisions that `If-Match` allows; undefined for any. Weak tags match none (RFC 9110, section 13.1.1). */
export function preconditionOf({ headers }: Pick<IncomingMessage, 'headers'>): Precondition {
  const expected = headers['if-match'];
  if (!expected || expected === '*') return undefined;
  return tagsIn(expected)
    .flatMap((tag) => REVISION.exec(tag)?.[1] ?? [])
    .map(Number);
}

const tagsIn = (header: string) => header.split(',').map((tag) => tag.trim());

const opaque = (tag: string) => tag.replace(/^W\//, '');

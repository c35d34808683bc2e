import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { User } from '../../domain/user.js';
import { USER_SCHEMA } from './users.schemas.js';
import type { UserReply } from './users.schemas.js';

/** A user as SCIM shows it (RFC 7643, sections 3.1 and 4.1). @param baseUrl where callers reach the platform */
export function scimUser(user: User, baseUrl: string): z.infer<typeof UserReply> {
  const { _id, externalId, userName, name, displayName, emails, locale, active, _createdAt, _updatedAt } = user;
  return {
    schemas: [USER_SCHEMA],
    id: _id,
    externalId,
    userName,
    name,
    displayName,
    emails,
    locale,
    active,
    meta: {
      resourceType: 'User',
      created: new Date(_createdAt).toISOString(),
      lastModified: new Date(_updatedAt).toISOString(),
      location: `${baseUrl}/passportsvc/api/v1/scim/Users/${_id}`,
      version: versionOf(user),
    },
  };
}

const versionOf = ({ _id, _updatedAt }: User) =>
  `W/"${createHash('sha256').update(`${_id}.${_updatedAt}`).digest('base64url').slice(0, 22)}"`;

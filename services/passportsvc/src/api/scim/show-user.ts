import { etagOf, revision } from '@dtplatform/http';
import type { z } from 'zod';
import { UserProfile } from '../../domain/scim/user.js';
import type { User } from '../../domain/scim/user.js';
import { USER_SCHEMA } from './users.schemas.js';
import type { ShownUser } from './users.schemas.js';

/** A user as SCIM represents it (RFC 7643, sections 3.1 and 4.1). @param baseUrl public URL of the platform */
export function showUser(user: User, baseUrl: string): ShownUser {
  const { _id: id, _createdAt, _updatedAt } = user;
  const profile = Object.entries(user).filter(([field]) => field in UserProfile.shape);
  return {
    schemas: [USER_SCHEMA],
    id,
    ...(Object.fromEntries(profile) as z.infer<typeof UserProfile>),
    meta: {
      resourceType: 'User',
      created: new Date(_createdAt).toISOString(),
      lastModified: new Date(_updatedAt).toISOString(),
      location: `${baseUrl}/passportsvc/api/v1/scim/Users/${id}`,
      version: `W/${etagOf(revision(user))}`,
    },
  };
}

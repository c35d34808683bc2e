import type { IncomingMessage } from 'node:http';
import type { Precondition } from '@dtplatform/contracts';
import { etagOf, preconditionOf, revision } from '@dtplatform/http';
import { ENTERPRISE_SCHEMA, USER_SCHEMA } from '../../domain/scim/attributes.js';
import { profileOf } from '../../domain/scim/user.js';
import type { User } from '../../domain/scim/user.js';
import { selectAttributes } from './select-attributes.js';
import type { Selection } from './select-attributes.js';
import type { ShownUser } from './shown-user.schemas.js';

export const versionOf = (user: User): string => `W/${etagOf(revision(user))}`;

/** The revisions that `If-Match` allows. Clients send back the weak tags of `versionOf` (RFC 7644, section 3.14). */
export const weakPreconditionOf = ({ headers }: Pick<IncomingMessage, 'headers'>): Precondition =>
  preconditionOf({ headers: { 'if-match': headers['if-match']?.replace(/(^|,)\s*W\//g, '$1') } });

export const usersUrlOf = (baseUrl: string): string => `${baseUrl}/passportsvc/api/v1/scim/Users`;
export const locationOf = ({ _id }: User, baseUrl: string): string => `${usersUrlOf(baseUrl)}/${_id}`;

/**
 * A user as SCIM represents it (RFC 7643, sections 3.1 and 4.1), with the attributes that the client asks for.
 * @param baseUrl public URL of the platform
 */
export function showUser(user: User, baseUrl: string, selection: Selection = {}): ShownUser {
  const { enterprise, ...profile } = profileOf(user);
  const shown = {
    schemas: [USER_SCHEMA, ...(enterprise ? [ENTERPRISE_SCHEMA] : [])],
    id: user._id,
    ...profile,
    ...(enterprise && { [ENTERPRISE_SCHEMA]: enterprise }),
    meta: {
      resourceType: 'User' as const,
      created: new Date(user._createdAt).toISOString(),
      lastModified: new Date(user._updatedAt).toISOString(),
      location: locationOf(user, baseUrl),
      version: versionOf(user),
    },
  };
  return selectAttributes(shown, selection) as ShownUser;
}

import { ENTERPRISE_SCHEMA, USER_SCHEMA } from '../scim/attributes.js';
import { profileOf } from '../scim/user.js';
import type { User } from '../scim/user.js';

/** A user as it is sent to servers: a SCIM resource (RFC 7643, sections 4.1 and 4.3). */
export type RemoteProfile = { schemas: string[]; externalId: string; userName: string } & Record<string, unknown>;

/** The user with our id as `externalId`. Its password stays here. */
export function remoteProfileOf(user: User): RemoteProfile {
  const { enterprise, ...profile } = profileOf(user);
  return {
    schemas: [USER_SCHEMA, ...(enterprise ? [ENTERPRISE_SCHEMA] : [])],
    ...profile,
    ...(enterprise && { [ENTERPRISE_SCHEMA]: enterprise }),
    externalId: user._id,
  };
}

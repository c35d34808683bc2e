import type { User } from '../scim/user.js';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';
/** Attributes that the server assigns itself, and those that are never given away. */
const WITHHELD = new Set(['id', 'meta', 'groups', 'schemas', 'password', 'externalId']);

/** A user as it is sent to servers: a SCIM resource (RFC 7643, section 4.1). */
export type RemoteProfile = { schemas: string[]; externalId: string; userName: string } & Record<string, unknown>;

/** The user with our id as `externalId`. Fields with an underscore are internal. */
export function remoteProfileOf(user: User): RemoteProfile {
  const isShown = (name: string) => !name.startsWith('_') && !WITHHELD.has(name);
  const shown = Object.fromEntries(Object.entries(user).filter(([name]) => isShown(name)));
  const extensions = Object.keys(shown).filter((name) => name.startsWith('urn:'));
  return { schemas: [CORE, ...extensions], ...shown, userName: user.userName, externalId: user._id };
}

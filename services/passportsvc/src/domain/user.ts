/** A user (contract: SCIM user; RFC 7643, section 4.1), with what only the platform knows. */
export interface User {
  _id: string;
  _orgId: string;
  userName: string;
  /** `userName` without regard to case: unique. */
  _userNameKey: string;
  /** Addresses in lower case, the user name among them. */
  _emailKeys: string[];
  emails?: UserEmail[];
  displayName?: string;
  active: boolean;
  name?: { formatted?: string; givenName?: string; familyName?: string };
  locale?: string;
  externalId?: string;
  /** Absent: the user cannot sign in. */
  _passwordHash?: string;
  /** A platform administrator. */
  _admin: boolean;
  _createdAt: number;
  _updatedAt: number;
}

interface UserEmail {
  value: string;
  type?: string;
  primary?: boolean;
  display?: string;
}

/** The form in which user names and addresses are compared: RFC 7643 says that their case does not count. */
export const nameKey = (name: string): string => name.normalize('NFC').toLowerCase();

/** How a user is called wherever a name is shown. */
export function displayNameOf({ displayName, name, userName }: User): string {
  const fullName = [name?.givenName, name?.familyName].filter(Boolean).join(' ');
  return displayName || name?.formatted || fullName || userName;
}

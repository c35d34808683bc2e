import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import { Organization } from '../organizations/organization.js';

const Text = z.string().max(512).optional();

/** A user (docs/contract.md, "SCIM user"; RFC 7643, section 4.1). Fields with an underscore are internal. */
export const User = z.object({
  _id: ResourceId,
  _orgId: Organization.shape._id,
  userName: z
    .string()
    .max(320)
    .refine((name) => name.trim() !== '' && !name.includes('\0'), 'must not be empty'),
  /** The user name in comparable form (`nameKey`). Unique. */
  _userNameKey: z.string(),
  /** User name and addresses in comparable form. */
  _emailKeys: z.array(z.string()),
  emails: z
    .array(z.object({ value: z.string().min(1).max(320), type: Text, primary: z.boolean().optional(), display: Text }))
    .max(50)
    .optional(),
  displayName: Text,
  active: z.boolean(),
  name: z.object({ formatted: Text, givenName: Text, familyName: Text }).optional(),
  locale: Text,
  externalId: Text,
  /** A user without a password cannot sign in. */
  _passwordHash: z.string().optional(),
  /** A platform administrator. */
  _admin: z.boolean(),
  _createdAt: z.number(),
  _updatedAt: z.number(),
  _revision: z.number().int().min(0),
});
export type User = z.infer<typeof User>;

/** What callers give and see of a user. */
export const UserProfile = User.pick({
  externalId: true,
  userName: true,
  name: true,
  displayName: true,
  emails: true,
  locale: true,
  active: true,
});

/** The form in which user names and addresses are compared: they are case-insensitive (RFC 7643, section 4.1.1). */
export const nameKey = (name: string): string => name.normalize('NFC').toLowerCase();

/** The name that is displayed for a user. */
export function displayNameOf({ displayName, name, userName }: User): string {
  const fullName = [name?.givenName, name?.familyName].filter(Boolean).join(' ');
  return displayName || name?.formatted || fullName || userName;
}

import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import { Organization } from '../organizations/organization.js';

export { nameKey } from './comparable.js';

const Text = z.string().max(512).optional();
const Uri = z.string().max(2048).optional();

/** A multi-valued attribute, whose values have the usual parts (RFC 7643, section 2.4). */
const plural = <V extends z.ZodType>(value: V, maxValues: number) =>
  z
    .array(z.object({ value, display: Text, type: Text, primary: z.boolean().optional() }))
    .max(maxValues)
    .refine(hasOnePrimary, 'must have at most one primary value')
    .optional();

const Address = z.object({
  formatted: z.string().max(2048).optional(),
  streetAddress: z.string().max(1024).optional(),
  locality: Text,
  region: Text,
  postalCode: Text,
  country: Text,
  type: Text,
  primary: z.boolean().optional(),
});

/** A user (docs/contract.md, "SCIM user"; RFC 7643, sections 4.1 and 4.3). Fields with an underscore are internal. */
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
  externalId: Text,
  name: z
    .object({
      formatted: Text,
      familyName: Text,
      givenName: Text,
      middleName: Text,
      honorificPrefix: Text,
      honorificSuffix: Text,
    })
    .optional(),
  displayName: Text,
  nickName: Text,
  profileUrl: Uri,
  title: Text,
  userType: Text,
  preferredLanguage: Text,
  locale: Text,
  timezone: Text,
  active: z.boolean(),
  emails: plural(z.string().min(1).max(320), 50),
  phoneNumbers: plural(Text, 50),
  ims: plural(Text, 50),
  photos: plural(Uri, 20),
  addresses: z.array(Address).max(50).refine(hasOnePrimary, 'must have at most one primary value').optional(),
  entitlements: plural(Text, 100),
  roles: plural(Text, 100),
  x509Certificates: plural(
    z
      .string()
      .max(16_384)
      .regex(/^[A-Za-z0-9+/_-]*={0,2}$/, 'must be base64')
      .optional(),
    10,
  ),
  /** The enterprise extension. */
  enterprise: z
    .object({
      employeeNumber: Text,
      costCenter: Text,
      organization: Text,
      division: Text,
      department: Text,
      manager: z.object({ value: Text, displayName: Text }).optional(),
    })
    .optional(),
  /** The attributes in the form in which filters compare them (`comparableUser`). Absent in documents of earlier versions. */
  _search: z.record(z.string(), z.unknown()).optional(),
  /** A user without a password cannot sign in. */
  _passwordHash: z.string().optional(),
  /** A platform administrator. */
  _admin: z.boolean(),
  _createdAt: z.number(),
  _updatedAt: z.number(),
  _revision: z.number().int().min(0),
});
export type User = z.infer<typeof User>;

function hasOnePrimary(values: { primary?: boolean | undefined }[]): boolean {
  return values.filter(({ primary }) => primary).length <= 1;
}

/** What callers give and see of a user. */
export const UserProfile = User.omit({
  _id: true,
  _orgId: true,
  _userNameKey: true,
  _emailKeys: true,
  _search: true,
  _passwordHash: true,
  _admin: true,
  _createdAt: true,
  _updatedAt: true,
  _revision: true,
});
export type UserProfile = z.infer<typeof UserProfile>;

const MAX_BYTES = 256 * 1024;

/** What callers send of a user. Without `active` a new user is active, and that of another does not change. */
export const SentUser = UserProfile.extend({
  active: z.boolean().optional(),
  password: z.string().min(1).max(1024).optional(),
}).refine((user) => JSON.stringify(user).length <= MAX_BYTES, 'must have at most 256 KiB');
export type SentUser = z.infer<typeof SentUser>;

/** The part of a user that callers see. */
export const profileOf = (user: User): UserProfile =>
  Object.fromEntries(Object.entries(user).filter(([field]) => field in UserProfile.shape)) as UserProfile;

/** The name that is displayed for a user. */
export function displayNameOf({ displayName, name, userName }: User): string {
  const fullName = [name?.givenName, name?.familyName].filter(Boolean).join(' ');
  return displayName || name?.formatted || fullName || userName;
}

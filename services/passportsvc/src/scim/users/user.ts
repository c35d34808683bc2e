import { z } from 'zod';
import { ResourceId, Text } from '@dtplatform/contracts';
import { Organization } from '../../directory/organizations/organizations.js';
import { described, partsOf, WRITABLE } from './attributes.js';
import { comparableName, trimmedName } from './comparable.js';

/** For passwords of people, chosen or assigned. Length alone matters (NIST SP 800-63B, section 3.1.1.2). */
export const MIN_PASSWORD_LENGTH = 10;
export const MAX_PASSWORD_LENGTH = 1024;

/** Counts code points. */
export const isLongEnough = (password: string): boolean => Array.from(password).length >= MIN_PASSWORD_LENGTH;

/** Why a password typed twice is rejected, for its user; undefined if it is accepted. */
export function passwordProblem(password: string, repeated: string): string | undefined {
  if (!isLongEnough(password)) return `Use at least ${MIN_PASSWORD_LENGTH} characters.`;
  if (password.length > MAX_PASSWORD_LENGTH) return `Use at most ${MAX_PASSWORD_LENGTH} characters.`;
  if (password !== repeated) return 'The two passwords are different. Please type them again.';
  return undefined;
}

export { comparableName } from './comparable.js';

const ShortText = z.string().max(512).optional();
const Name = Text.max(320)
  .overwrite(trimmedName)
  .refine((name) => comparableName(name) !== '', 'must not be empty');
const Uri = z.string().max(2048).optional();
const ofUser = <S extends Record<string, z.ZodType>>(fields: S): S => described(WRITABLE, fields);
const within = <S extends Record<string, z.ZodType>>(name: string, fields: S): S =>
  described(partsOf(WRITABLE, name), fields);

/** A multi-valued attribute, whose values have the usual parts (RFC 7643, section 2.4). */
const plural = <V extends z.ZodType>(name: string, id: string, value: V, maxValues: number) =>
  z
    .array(
      z
        .object(within(name, { value, display: ShortText, type: ShortText, primary: z.boolean().optional() }))
        .meta({ id, description: `A value of \`${name}\`.` }),
    )
    .max(maxValues)
    .refine(hasOnePrimary, 'must have at most one primary value')
    .optional();

const Address = z
  .object(
    within('addresses', {
      formatted: z.string().max(2048).optional(),
      streetAddress: z.string().max(1024).optional(),
      locality: ShortText,
      region: ShortText,
      postalCode: ShortText,
      country: ShortText,
      type: ShortText,
      primary: z.boolean().optional(),
    }),
  )
  .meta({ id: 'ScimAddress', description: 'A value of `addresses`.' });

const Certificate = z
  .string()
  .max(16_384)
  .regex(/^[A-Za-z0-9+/_-]*={0,2}$/, 'must be base64');

const managerParts = partsOf(partsOf(WRITABLE, 'enterprise'), 'manager');

/** The attributes that callers send and see (docs/contract.md, "SCIM users"; RFC 7643, sections 4.1 and 4.3). */
export const UserProfile = z.object(
  ofUser({
    userName: Name,
    externalId: ShortText,
    name: z
      .object(
        within('name', {
          formatted: ShortText,
          familyName: ShortText,
          givenName: ShortText,
          middleName: ShortText,
          honorificPrefix: ShortText,
          honorificSuffix: ShortText,
        }),
      )
      .meta({ id: 'ScimName', description: 'The components of the name of a user.' })
      .optional(),
    displayName: ShortText,
    nickName: ShortText,
    profileUrl: Uri,
    title: ShortText,
    userType: ShortText,
    preferredLanguage: ShortText,
    locale: ShortText,
    timezone: ShortText,
    active: z.boolean(),
    emails: plural('emails', 'ScimEmail', Name, 50),
    phoneNumbers: plural('phoneNumbers', 'ScimPhoneNumber', ShortText, 50),
    ims: plural('ims', 'ScimIm', ShortText, 50),
    photos: plural('photos', 'ScimPhoto', Uri, 20),
    addresses: z.array(Address).max(50).refine(hasOnePrimary, 'must have at most one primary value').optional(),
    entitlements: plural('entitlements', 'ScimEntitlement', ShortText, 100),
    roles: plural('roles', 'ScimRole', ShortText, 100),
    x509Certificates: plural('x509Certificates', 'ScimCertificate', Certificate.optional(), 10),
    enterprise: z
      .object(
        within('enterprise', {
          employeeNumber: ShortText,
          costCenter: ShortText,
          organization: ShortText,
          division: ShortText,
          department: ShortText,
          manager: z.object(described(managerParts, { value: ShortText, displayName: ShortText })).optional(),
        }),
      )
      .meta({ id: 'ScimEnterprise', description: 'The place of a user in an organization (RFC 7643, section 4.3).' })
      .optional(),
  }),
);
export type UserProfile = z.infer<typeof UserProfile>;

/** Fields with an underscore are internal. */
export const User = UserProfile.extend({
  _id: ResourceId.describe('The id of the user: 24 hexadecimal digits.'),
  _orgId: Organization.shape._id,
  /** See `comparableName`. Unique. */
  _userNameKey: z.string(),
  _emailKeys: z.array(z.string()),
  /** The attributes as filters compare them (`comparableUser`). */
  _search: z.record(z.string(), z.unknown()),
  /** A user without a password cannot sign in. */
  _passwordHash: z.string().optional(),
  _admin: z.boolean(),
  /** Incremented when another administrator loses access, so that concurrent transactions conflict. */
  _adminWrites: z.number().optional(),
  _createdAt: z.number(),
  _updatedAt: z.number(),
  _revision: z.number().int().min(0),
});
export type User = z.infer<typeof User>;

function hasOnePrimary(values: { primary?: boolean | undefined }[]): boolean {
  return values.filter(({ primary }) => primary).length <= 1;
}

const MAX_BYTES = 256 * 1024;

/** Without `active`, a new user is active and an existing one stays as it is. */
export const SentUser = UserProfile.extend(
  ofUser({
    active: z.boolean().optional(),
    password: z
      .string()
      .max(MAX_PASSWORD_LENGTH)
      .refine(isLongEnough, `must have at least ${MIN_PASSWORD_LENGTH} characters`)
      .optional(),
  }),
).refine((user) => JSON.stringify(user).length <= MAX_BYTES, 'must have at most 256 KiB');
export type SentUser = z.infer<typeof SentUser>;

export const profileOf = (user: User): UserProfile =>
  Object.fromEntries(Object.entries(user).filter(([field]) => field in UserProfile.shape)) as UserProfile;

export function displayNameOf({ displayName, name, userName }: User): string {
  const fullName = [name?.givenName, name?.familyName].filter(Boolean).join(' ');
  return displayName || name?.formatted || fullName || userName;
}

import type { z } from 'zod';
import { complex, plural, text, typeOf } from './schema-types.js';
import type { Attribute } from './schema-types.js';

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE_SCHEMA = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const REFERENCE: Partial<Attribute> = { type: 'reference', referenceTypes: ['external'], caseExact: true };

/** The attributes of a user (RFC 7643, section 4.1). */
export const USER_ATTRIBUTES: readonly Attribute[] = [
  text('userName', 'The name with which the user signs in. It is unique on the platform, ignoring case.', {
    required: true,
    uniqueness: 'global',
  }),
  complex('name', 'The components of the name of the user.', [
    text('formatted', 'The full name, formatted for display.'),
    text('familyName', 'The family name.'),
    text('givenName', 'The given name.'),
    text('middleName', 'The middle names.'),
    text('honorificPrefix', 'The prefix of the name, such as Dr.'),
    text('honorificSuffix', 'The suffix of the name, such as III.'),
  ]),
  text('displayName', 'The display name of the user.'),
  text('nickName', 'The casual name of the user.'),
  text('profileUrl', 'The URL of a page about the user.', REFERENCE),
  text('title', 'The title of the user in the organization.'),
  text('userType', 'The relation of the user to the organization, such as Employee.'),
  text('preferredLanguage', 'The preferred language of the user, such as en-US.'),
  text('locale', 'The locale of the user for dates, numbers and currencies, such as en-US.'),
  text('timezone', 'The time zone of the user, such as Europe/Berlin.'),
  // Always present: a new user is active by default.
  text('active', 'Whether the user may sign in. If omitted, true for a new user and unchanged for an existing one.', {
    type: 'boolean',
    required: true,
  }),
  text('password', 'The password, of 10 to 1024 characters. It is never returned.', {
    mutability: 'writeOnly',
    returned: 'never',
    caseExact: true,
  }),
  plural('emails', 'The email addresses of the user.', {
    value: 'The email address.',
    types: ['work', 'home', 'other'],
    options: { required: true },
  }),
  plural('phoneNumbers', 'The telephone numbers of the user.', {
    value: 'The telephone number.',
    types: ['work', 'home', 'mobile', 'fax', 'pager', 'other'],
  }),
  plural('ims', 'The instant messaging addresses of the user.', { value: 'The address.' }),
  plural('photos', 'Pictures of the user.', {
    value: 'The URL of the picture.',
    types: ['photo', 'thumbnail'],
    options: REFERENCE,
  }),
  complex(
    'addresses',
    'The postal addresses of the user.',
    [
      text('formatted', 'The full address, formatted for display.'),
      text('streetAddress', 'The street and number.'),
      text('locality', 'The city.'),
      text('region', 'The state or region.'),
      text('postalCode', 'The postal code.'),
      text('country', 'The country.'),
      typeOf('address', ['work', 'home', 'other']),
      text('primary', 'Whether it is the preferred address. At most one can be.', { type: 'boolean' }),
    ],
    { multiValued: true },
  ),
  plural('entitlements', 'The entitlements of the user in other systems. They grant no permissions here.', {
    value: 'The entitlement.',
  }),
  plural('roles', 'The roles of the user in other systems. They grant no permissions here.', { value: 'The role.' }),
  plural('x509Certificates', 'Certificates of the user.', {
    value: 'The certificate in DER, as base64.',
    options: { type: 'binary', caseExact: true },
  }),
];

/** The attributes of the enterprise extension (RFC 7643, section 4.3). */
export const ENTERPRISE_ATTRIBUTES: readonly Attribute[] = [
  text('employeeNumber', 'The number or other id assigned by the organization.'),
  text('costCenter', 'The cost center of the user.'),
  text('organization', 'The name of the organization of the user.'),
  text('division', 'The name of the division of the user.'),
  text('department', 'The name of the department of the user.'),
  complex('manager', 'The manager of the user.', [
    text('value', 'The id of the manager.', { caseExact: true }),
    text('displayName', 'The display name of the manager.'),
  ]),
];

/** Attributes with user names and email addresses (`comparableName`). */
export const NAMES: ReadonlySet<Attribute> = new Set([
  findAttribute(USER_ATTRIBUTES, 'userName')!,
  findAttribute(findAttribute(USER_ATTRIBUTES, 'emails')!.subAttributes!, 'value')!,
]);

const READ_ONLY = { mutability: 'readOnly', caseExact: true } as const;

/** Attributes of every resource (RFC 7643, section 3). No schema lists them. */
export const COMMON_ATTRIBUTES: readonly Attribute[] = [
  text('schemas', 'The URNs of the schemas of the resource.', {
    ...READ_ONLY,
    multiValued: true,
    returned: 'always',
  }),
  text('id', 'The id of the resource, assigned by the server.', { ...READ_ONLY, returned: 'always' }),
  text('externalId', 'The id of the user, assigned by the client.', { caseExact: true }),
  complex(
    'meta',
    'Metadata of the resource.',
    [
      text('resourceType', 'The type of the resource.', READ_ONLY),
      text('created', 'When the resource was created, in ISO 8601.', { ...READ_ONLY, type: 'dateTime' }),
      text('lastModified', 'When the resource was last changed, in ISO 8601.', { ...READ_ONLY, type: 'dateTime' }),
      text('location', 'The URL of the resource.', READ_ONLY),
      text('version', 'The entity tag of the resource, for If-Match.', READ_ONLY),
    ],
    READ_ONLY,
  ),
];

/** The extension as a stored attribute of the user. */
const ENTERPRISE = complex('enterprise', 'Attributes of the user in the organization.', [...ENTERPRISE_ATTRIBUTES]);

export const WRITABLE: readonly Attribute[] = [...USER_ATTRIBUTES, COMMON_ATTRIBUTES[2]!, ENTERPRISE];

const ROOT = [...COMMON_ATTRIBUTES, ...USER_ATTRIBUTES];

/** An attribute and its ancestors, outermost first. */
export type AttributePath = readonly [Attribute, ...Attribute[]];

export const lastOf = (path: AttributePath): Attribute => path[path.length - 1]!;
export const keysOf = (path: AttributePath): string[] => path.map(({ name }) => name);

/** Names of attributes are case-insensitive (RFC 7643, section 2.1). */
export function findAttribute(attributes: readonly Attribute[], name: string): Attribute | undefined {
  return attributes.find((attribute) => attribute.name.toLowerCase() === name.toLowerCase());
}

/** Resolves `name.givenName`, with or without its schema. @returns undefined if unknown */
export function resolveAttribute(named: string): AttributePath | undefined {
  const [schema, rest] = splitSchema(named);
  if (schema === ENTERPRISE_SCHEMA)
    return rest === '' ? [ENTERPRISE] : follow(rest, ENTERPRISE.subAttributes!, [ENTERPRISE]);
  return follow(rest, ROOT);
}

export const resolveWithin = (attribute: Attribute, named: string): AttributePath | undefined =>
  follow(named, attribute.subAttributes ?? []);

function splitSchema(named: string): [schema: string | undefined, rest: string] {
  for (const schema of [ENTERPRISE_SCHEMA, USER_SCHEMA]) {
    if (named.toLowerCase() === schema.toLowerCase()) return [schema, ''];
    if (named.toLowerCase().startsWith(`${schema.toLowerCase()}:`)) return [schema, named.slice(schema.length + 1)];
  }
  return [undefined, named];
}

function follow(
  names: string,
  attributes: readonly Attribute[],
  around: readonly Attribute[] = [],
): AttributePath | undefined {
  const path = [...around];
  let among = attributes;
  for (const name of names.split('.')) {
    const found = findAttribute(among, name);
    if (!found) return undefined;
    path.push(found);
    among = found.subAttributes ?? [];
  }
  return path as unknown as AttributePath;
}

/** Gives each field its attribute's description, which clients also read at `/scim/Schemas`. */
export const described = <S extends Record<string, z.ZodType>>(attributes: readonly Attribute[], fields: S): S =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, field.describe(findAttribute(attributes, name)!.description)]),
  ) as S;

export const partsOf = (attributes: readonly Attribute[], name: string): readonly Attribute[] =>
  findAttribute(attributes, name)!.subAttributes!;

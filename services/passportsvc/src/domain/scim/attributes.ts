import { complex, plural, text } from './schema-types.js';
import type { Attribute } from './schema-types.js';

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE_SCHEMA = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const REFERENCE: Partial<Attribute> = { type: 'reference', referenceTypes: ['external'], caseExact: true };

/** The attributes of a user (RFC 7643, section 4.1). */
export const USER_ATTRIBUTES: readonly Attribute[] = [
  text('userName', 'The name with which the user signs in.', { required: true, uniqueness: 'global' }),
  complex('name', 'The parts of the name.', [
    text('formatted', 'The full name.'),
    text('familyName', 'The family name.'),
    text('givenName', 'The given name.'),
    text('middleName', 'The middle names.'),
    text('honorificPrefix', 'The title before the name.'),
    text('honorificSuffix', 'What follows the name.'),
  ]),
  text('displayName', 'The name that is shown.'),
  text('nickName', 'The casual name.'),
  text('profileUrl', 'The page of the user.', REFERENCE),
  text('title', 'The title in the organization.'),
  text('userType', 'The relation to the organization.'),
  text('preferredLanguage', 'The preferred language, such as en-US.'),
  text('locale', 'The locale for dates, numbers and currencies, such as en-US.'),
  text('timezone', 'The time zone, such as Europe/Berlin.'),
  // Every user has it: without it a new user is active.
  text('active', 'Whether the user may sign in.', { type: 'boolean', required: true }),
  text('password', 'The password. It is never returned.', {
    mutability: 'writeOnly',
    returned: 'never',
    caseExact: true,
  }),
  plural('emails', 'E-mail addresses.', { types: ['work', 'home', 'other'], value: { required: true } }),
  plural('phoneNumbers', 'Telephone numbers.', { types: ['work', 'home', 'mobile', 'fax', 'pager', 'other'] }),
  plural('ims', 'Addresses for instant messages.'),
  plural('photos', 'Pictures.', { types: ['photo', 'thumbnail'], value: REFERENCE }),
  complex(
    'addresses',
    'Postal addresses.',
    [
      text('formatted', 'The whole address.'),
      text('streetAddress', 'Street and number.'),
      text('locality', 'The city.'),
      text('region', 'The state or region.'),
      text('postalCode', 'The postal code.'),
      text('country', 'The country.'),
      text('type', 'What the address is for.', { canonicalValues: ['work', 'home', 'other'] }),
      text('primary', 'Whether it is the preferred address. At most one is.', { type: 'boolean' }),
    ],
    { multiValued: true },
  ),
  plural('entitlements', 'Things that the user is entitled to elsewhere. They give no permission here.'),
  plural('roles', 'Roles of the user elsewhere. They give no permission here.'),
  plural('x509Certificates', 'Certificates of the user, in DER.', { value: { type: 'binary', caseExact: true } }),
];

/** The attributes of the enterprise extension (RFC 7643, section 4.3). */
export const ENTERPRISE_ATTRIBUTES: readonly Attribute[] = [
  text('employeeNumber', 'The number of the employee.'),
  text('costCenter', 'The cost center.'),
  text('organization', 'The organization.'),
  text('division', 'The division.'),
  text('department', 'The department.'),
  complex('manager', 'The manager.', [
    text('value', 'The id of the manager.', { caseExact: true }),
    text('displayName', 'The name of the manager.'),
  ]),
];

const READ_ONLY = { mutability: 'readOnly', caseExact: true } as const;

/** Attributes of every resource (RFC 7643, section 3). No schema lists them. */
const COMMON_ATTRIBUTES: readonly Attribute[] = [
  text('schemas', 'The schemas of the resource.', { ...READ_ONLY, multiValued: true, returned: 'always' }),
  text('id', 'The id.', { ...READ_ONLY, returned: 'always' }),
  text('externalId', 'The id that the client has for the user.', { caseExact: true }),
  complex(
    'meta',
    'What the server knows of the resource.',
    [
      text('resourceType', 'The type of the resource.', READ_ONLY),
      text('created', 'When it was created.', { ...READ_ONLY, type: 'dateTime' }),
      text('lastModified', 'When it was changed.', { ...READ_ONLY, type: 'dateTime' }),
      text('location', 'Where it is.', READ_ONLY),
      text('version', 'Its entity tag.', READ_ONLY),
    ],
    READ_ONLY,
  ),
];

/** The extension as an attribute of the user, as it is stored. */
const ENTERPRISE = complex('enterprise', 'The enterprise extension.', [...ENTERPRISE_ATTRIBUTES]);

/** What clients may send. */
export const WRITABLE: readonly Attribute[] = [...USER_ATTRIBUTES, COMMON_ATTRIBUTES[2]!, ENTERPRISE];

const ROOT = [...COMMON_ATTRIBUTES, ...USER_ATTRIBUTES];

/** An attribute and those around it, outermost first. */
export type AttributePath = readonly [Attribute, ...Attribute[]];

export const lastOf = (path: AttributePath): Attribute => path[path.length - 1]!;
export const keysOf = (path: AttributePath): string[] => path.map(({ name }) => name);

/** Whether the client wrote the name of the attribute; names are case-insensitive (RFC 7643, section 2.1). */
const isNamed = (name: string) => (attribute: Attribute) => attribute.name.toLowerCase() === name.toLowerCase();

export const findAttribute = (attributes: readonly Attribute[], name: string): Attribute | undefined =>
  attributes.find(isNamed(name));

/** The attribute of a user that a text names: `name.givenName`, with or without its schema. @returns undefined for none */
export function resolveAttribute(named: string): AttributePath | undefined {
  const [schema, rest] = splitSchema(named);
  if (schema === ENTERPRISE_SCHEMA)
    return rest === '' ? [ENTERPRISE] : follow(rest, ENTERPRISE.subAttributes!, [ENTERPRISE]);
  return follow(rest, ROOT);
}

/** The sub-attribute of one value of an attribute. */
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

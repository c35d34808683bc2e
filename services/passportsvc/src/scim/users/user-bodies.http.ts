import { z } from 'zod';
import { header, listParameter } from '@dtplatform/http';
import type { PrincipalKind } from '@dtplatform/jwt';
import { COMMON_ATTRIBUTES, described, ENTERPRISE_SCHEMA, partsOf, USER_SCHEMA } from './attributes.js';
import { canonicalUser } from './comparable.js';
import { SentUser, User, UserProfile } from './user.js';

const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const SEARCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';
export const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

export const CALLERS: PrincipalKind[] = ['app', 'trusted', 'admin'];

/** Page size, maximum and default: an unfiltered list returns all users (docs/contract.md, "SCIM users"). */
export const MAX_RESULTS = 1000;
const MAX_OPERATIONS = 100;
const MAX_START = 2 ** 31 - 1;
const MAX_ATTRIBUTES = 200;

/** The `schemas` of a body; may be absent. */
const schemasWith = (urn: string) =>
  z
    .array(z.string())
    .max(20)
    .default([urn])
    .refine((schemas) => schemas.some((one) => one.toLowerCase() === urn.toLowerCase()), `must contain ${urn}`);

type Values = Record<string, unknown>;
const AnyObject = z.record(z.string(), z.unknown());

/** Renames keys that differ from a known name only in case. */
const withNames = (value: Values, names: readonly string[]): Values => {
  const known = new Map(names.map((name) => [name.toLowerCase(), name]));
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [known.get(key.toLowerCase()) ?? key, entry]));
};

const named = (names: readonly string[]) => AnyObject.transform((value) => withNames(value, names));

/** A sent user. Attribute names are case-insensitive (RFC 7643, section 2.1). */
export const UserBody = AnyObject.transform((body) => {
  const { schemas } = withNames(body, ['schemas']);
  return { ...canonicalUser(body), ...(schemas === undefined || schemas === null ? {} : { schemas }) };
}).pipe(SentUser.safeExtend({ schemas: schemasWith(USER_SCHEMA) }));

const Operation = named(['op', 'path', 'value']).pipe(
  z.object({
    op: z
      .string()
      .transform((op) => op.toLowerCase())
      .pipe(z.enum(['add', 'replace', 'remove'])),
    path: z.string().optional(),
    value: z.unknown().optional(),
  }),
);

export const PatchBody = named(['schemas', 'Operations']).pipe(
  z.object({ schemas: schemasWith(PATCH_SCHEMA), Operations: z.array(Operation).min(1).max(MAX_OPERATIONS) }),
);

export type PatchBody = z.infer<typeof PatchBody>;

const attributeList = listParameter(z.string().max(300), MAX_ATTRIBUTES).optional();

const exclusive = ({ attributes, excludedAttributes }: { attributes?: unknown; excludedAttributes?: unknown }) =>
  attributes === undefined || excludedAttributes === undefined;
const EXCLUSIVE = 'attributes and excludedAttributes are mutually exclusive';

const selection = {
  attributes: attributeList.describe(
    'The attributes to return in addition to `schemas` and `id`: names, repeated or separated by commas.',
  ),
  excludedAttributes: attributeList.describe(
    'The attributes to omit: names, repeated or separated by commas. Cannot be combined with `attributes`.',
  ),
};

export const SelectionQuery = z.object(selection).refine(exclusive, EXCLUSIVE);

const integer = z
  .union([z.number().int(), z.string().regex(/^-?\d{1,15}$/, 'must be a whole number')])
  .meta({ anyOf: undefined, type: 'integer' })
  .transform(Number);

/** Raises smaller values to the minimum (RFC 7644, section 3.4.2.4). */
const clamped = (least: number, most: number, by: number) =>
  integer.default(by).transform((value) => Math.min(Math.max(value, least), most));

const order = z
  .string()
  .meta({ enum: ['ascending', 'descending'] })
  .transform((text) => text.toLowerCase())
  .pipe(z.enum(['ascending', 'descending']))
  .optional();

const search = {
  filter: z
    .string()
    .optional()
    .describe('A filter (RFC 7644, section 3.4.2.2), such as `userName eq "jo@example.com"`; all users by default.'),
  sortBy: z
    .string()
    .max(300)
    .optional()
    .describe('The attribute to sort by, such as `name.familyName`; the id by default.'),
  sortOrder: order.describe('The sort order, ignoring case; `ascending` by default.'),
  startIndex: clamped(1, MAX_START, 1).describe('The 1-based position of the first user to list; 1 by default.'),
  count: clamped(0, MAX_RESULTS, MAX_RESULTS).describe(
    `The maximum number of users to list: ${MAX_RESULTS} by default and at most; 0 returns only the total.`,
  ),
  ...selection,
};

export const ListQuery = z.object(search).refine(exclusive, EXCLUSIVE);
export type ListQuery = z.infer<typeof ListQuery>;

export const SearchBody = named(['schemas', ...Object.keys(search)]).pipe(
  z.object({ ...search, schemas: schemasWith(SEARCH_SCHEMA) }).refine(exclusive, EXCLUSIVE),
);

export const UserParams = z.object({ id: User.shape._id });

const { enterprise, ...core } = UserProfile.shape;

const Meta = z.object(
  described(partsOf(COMMON_ATTRIBUTES, 'meta'), {
    resourceType: z.literal('User'),
    created: z.string(),
    lastModified: z.string(),
    location: z.string(),
    version: z.string(),
  }),
);

/** A user in SCIM (docs/contract.md, "SCIM users"), with the selected attributes. */
export const ShownUser = z
  .object({ ...core, [ENTERPRISE_SCHEMA]: enterprise, ...described(COMMON_ATTRIBUTES, { meta: Meta }) })
  .partial()
  .extend({ ...described(COMMON_ATTRIBUTES, { schemas: z.array(z.string()) }), id: User.shape._id })
  .meta({ id: 'ScimUser', description: 'A user, with the requested attributes (RFC 7643, section 4.1).' });
export type ShownUser = z.infer<typeof ShownUser>;

export const userHeaders = [
  header('ETag', 'The revision of the user, for `If-Match`; the same as `meta.version`.'),
  header('Location', 'The URL of the user.'),
];

export const listFields = {
  ...described(COMMON_ATTRIBUTES, { schemas: z.array(z.string()) }),
  totalResults: z.int().describe('The total number of matching resources.'),
  startIndex: z.int().describe('The 1-based position of the first resource of this page among all matches.'),
  itemsPerPage: z.int().describe('The number of resources in this page.'),
};

export const ShownList = z
  .object({
    ...listFields,
    Resources: z.array(ShownUser).describe('The users of this page.'),
    resources: z.array(ShownUser).describe('The same users, in the field that earlier clients read.'),
  })
  .meta({ id: 'ScimUserList', description: 'A page of users (RFC 7644, section 3.4.2).' });

const schemas = (urn: string) =>
  z.array(z.string()).max(20).default([urn]).describe(`The URNs of the schemas of the body, including \`${urn}\`.`);

const { enterprise: sentEnterprise, ...sentCore } = SentUser.shape;

/** Documentation of a sent user; the parsed body accepts names in any case. */
export const SentUserShown = z
  .object({ ...sentCore, [ENTERPRISE_SCHEMA]: sentEnterprise, schemas: schemas(USER_SCHEMA) })
  .meta({
    id: 'ScimUserInput',
    description:
      'A user to store, of at most 256 KiB. Attribute names are case-insensitive, unknown ones are ignored, ' +
      'and null means absent.',
  });

const ShownOperation = z
  .object({
    op: z.enum(['add', 'replace', 'remove', 'Add', 'Replace', 'Remove']).describe('The operation; case-insensitive.'),
    path: z
      .string()
      .max(2048)
      .optional()
      .describe(
        'The attribute, or some of its values: `name.givenName`, `emails[type eq "work"].value`. Without it, `value` contains attributes of the user.',
      ),
    value: z
      .unknown()
      .optional()
      .describe(
        'The new value, or the value to add. Optional for a removal; if sent, only matching values are removed.',
      ),
  })
  .meta({ id: 'ScimPatchOperation', description: 'A change to an attribute (RFC 7644, section 3.5.2).' });

export const PatchShown = z
  .object({
    schemas: schemas(PATCH_SCHEMA),
    Operations: z.array(ShownOperation).min(1).max(100).describe('The changes, in order; either all are made or none.'),
  })
  .meta({ id: 'ScimPatch', description: 'Changes to individual attributes of a user.' });

export const SearchShown = ListQuery.safeExtend({ schemas: schemas(SEARCH_SCHEMA) }).meta({
  id: 'ScimSearchRequest',
  description: 'The parameters of a list call (RFC 7644, section 3.4.3).',
});

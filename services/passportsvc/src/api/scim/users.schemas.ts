import type { PrincipalKind } from '@dtplatform/jwt';
import { z } from 'zod';
import { ENTERPRISE_SCHEMA, USER_SCHEMA } from '../../domain/scim/attributes.js';
import { canonicalUser } from '../../domain/scim/canonical.js';
import { SentUser, User, UserProfile } from '../../domain/scim/user.js';

const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const SEARCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';
export const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** Who may call: ordinary users may not. */
export const CALLERS: PrincipalKind[] = ['app', 'trusted', 'admin'];

/** Users of a page at most, and by default: without a filter all users return (docs/contract.md, "SCIM users"). */
export const MAX_RESULTS = 1000;
const MAX_OPERATIONS = 100;
const MAX_START = 2 ** 31 - 1;
const MAX_ATTRIBUTES = 200;

/** The `schemas` of a body; an absent one is taken as right. */
const schemasWith = (urn: string) =>
  z
    .array(z.string())
    .max(20)
    .default([urn])
    .refine((schemas) => schemas.some((one) => one.toLowerCase() === urn.toLowerCase()), `must hold ${urn}`);

type Values = Record<string, unknown>;
const AnyObject = z.record(z.string(), z.unknown());

/** Renames the keys that differ from a known name only in case. */
const withNames = (value: Values, names: readonly string[]): Values => {
  const known = new Map(names.map((name) => [name.toLowerCase(), name]));
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [known.get(key.toLowerCase()) ?? key, entry]));
};

const named = (names: readonly string[]) => AnyObject.transform((value) => withNames(value, names));

/** A user as it is sent. Attribute names are case-insensitive (RFC 7643, section 2.1). */
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

const attributeList = z
  .union([z.string(), z.array(z.string())])
  .transform((value) =>
    [value]
      .flat()
      .flatMap((names) => names.split(','))
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  )
  .pipe(z.array(z.string().max(300)).max(MAX_ATTRIBUTES));

const exclusive = ({ attributes, excludedAttributes }: { attributes?: unknown; excludedAttributes?: unknown }) =>
  attributes === undefined || excludedAttributes === undefined;
const EXCLUSIVE = 'attributes and excludedAttributes exclude each other';

const selection = { attributes: attributeList.optional(), excludedAttributes: attributeList.optional() };

/** Which attributes a reply has (RFC 7644, section 3.9). */
export const SelectionQuery = z.object(selection).refine(exclusive, EXCLUSIVE);

const wholeNumber = z
  .union([z.number().int(), z.string().regex(/^-?\d{1,15}$/, 'must be a whole number')])
  .transform(Number);

/** Values below the least one count as that (RFC 7644, section 3.4.2.4). */
const clamped = (least: number, most: number, by: number) =>
  wholeNumber.default(by).transform((value) => Math.min(Math.max(value, least), most));

const order = z
  .string()
  .transform((text) => text.toLowerCase())
  .pipe(z.enum(['ascending', 'descending']));

const search = {
  filter: z.string().optional(),
  sortBy: z.string().max(300).optional(),
  sortOrder: order.optional(),
  startIndex: clamped(1, MAX_START, 1),
  count: clamped(0, MAX_RESULTS, MAX_RESULTS),
  ...selection,
};

export const ListQuery = z.object(search).refine(exclusive, EXCLUSIVE);
export type ListQuery = z.infer<typeof ListQuery>;

export const SearchBody = named(['schemas', ...Object.keys(search)]).pipe(
  z.object({ ...search, schemas: schemasWith(SEARCH_SCHEMA) }).refine(exclusive, EXCLUSIVE),
);

export const UserParams = z.object({ id: User.shape._id });

const { enterprise, ...core } = UserProfile.shape;

/** A user in SCIM (docs/contract.md, "SCIM user"), with the attributes that were asked for. */
export const ShownUser = z
  .object({
    ...core,
    [ENTERPRISE_SCHEMA]: enterprise,
    meta: z.object({
      resourceType: z.literal('User'),
      created: z.string(),
      lastModified: z.string(),
      location: z.string(),
      version: z.string(),
    }),
  })
  .partial()
  .extend({ schemas: z.array(z.string()), id: User.shape._id });
export type ShownUser = z.infer<typeof ShownUser>;

export const ShownList = z.object({
  schemas: z.array(z.string()),
  totalResults: z.number(),
  startIndex: z.number(),
  itemsPerPage: z.number(),
  Resources: z.array(ShownUser),
  resources: z.array(ShownUser),
});

import type { IncomingMessage } from 'node:http';
import type { Precondition } from '@dtplatform/contracts';
import {
  etagOf,
  inAnyCase,
  knownNames,
  ok,
  preconditionOf,
  reportUnknown,
  revision,
  withShown,
} from '@dtplatform/http';
import type { RouteResponse, RequestContext } from '@dtplatform/http';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../../errors.js';
import { ENTERPRISE_SCHEMA, keysOf, lastOf, resolveAttribute, USER_SCHEMA } from './attributes.js';
import type { AttributePath } from './attributes.js';
import { parseFilter } from './filter/parse-filter.js';
import { LIST_SCHEMA, SentUserShown, ShownUser } from './user-bodies.http.js';
import type { ListQuery, PatchBody } from './user-bodies.http.js';
import { profileOf } from './user.js';
import type { User } from './user.js';
import type { UserQuery, Users } from './users.js';

export interface UserParts {
  users: Users;
  config: { BASE_URL: string };
}

type Values = Record<string, unknown>;

/** The attributes of a response (RFC 7644, section 3.9). Names are case-insensitive, unknown ones are ignored. */
export interface Selection {
  attributes?: string[];
  excludedAttributes?: string[];
}

const ALWAYS = ['schemas', 'id'];

function selectAttributes(user: Values, { attributes, excludedAttributes }: Selection): Values {
  if (attributes !== undefined) {
    const always = Object.fromEntries(ALWAYS.map((name) => [name, user[name]]));
    const tree = treeOf(attributes);
    return { ...always, ...(tree.size > 0 ? (kept(user, tree) as Values) : {}) };
  }
  if (excludedAttributes !== undefined) return without(user, treeOf(excludedAttributes), ALWAYS) as Values;
  return user;
}

/** Attribute names with those of their parts; empty for a whole attribute. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a type alias cannot refer to itself
interface Tree extends Map<string, Tree> {}

function treeOf(names: string[]): Tree {
  const root: Tree = new Map();
  for (const name of names) {
    const path = resolveAttribute(name);
    if (path) add(root, keysOf(path).map(shownName));
  }
  return root;
}

const shownName = (name: string) => (name === 'enterprise' ? ENTERPRISE_SCHEMA : name);

/** A whole attribute covers its parts. */
function add(tree: Tree, [name, ...parts]: string[]): void {
  const known = tree.get(name!);
  if (known?.size === 0) return;
  const inner: Tree = parts.length > 0 ? (known ?? new Map()) : new Map();
  if (parts.length > 0) add(inner, parts);
  tree.set(name!, inner);
}

function kept(value: unknown, tree: Tree): unknown {
  if (tree.size === 0) return value;
  if (Array.isArray(value)) return value.map((entry) => kept(entry, tree));
  const entries = Object.entries(value as Values).filter(([name]) => tree.has(name));
  return Object.fromEntries(entries.map(([name, entry]) => [name, kept(entry, tree.get(name)!)]));
}

function without(value: unknown, tree: Tree, always: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((entry) => without(entry, tree));
  const entries = Object.entries(value as Values).filter(
    ([name]) => tree.get(name)?.size !== 0 || always.includes(name),
  );
  return Object.fromEntries(
    entries.map(([name, entry]) => {
      const parts = always.includes(name) ? undefined : tree.get(name);
      return [name, parts ? without(entry, parts) : entry];
    }),
  );
}

export const versionOf = (user: User): string => `W/${etagOf(revision(user))}`;

/** The revisions that `If-Match` allows. Clients send back the weak tags of `versionOf` (RFC 7644, section 3.14). */
export const weakPreconditionOf = ({ headers }: Pick<IncomingMessage, 'headers'>): Precondition =>
  preconditionOf({ headers: { 'if-match': headers['if-match']?.replace(/(^|,)\s*W\//g, '$1') } });

const usersUrlOf = (baseUrl: string): string => `${baseUrl}/passportsvc/api/v1/scim/Users`;
export const locationOf = ({ _id }: User, baseUrl: string): string => `${usersUrlOf(baseUrl)}/${_id}`;

/**
 * A user as SCIM represents it (RFC 7643, sections 3.1 and 4.1), with the selected attributes.
 * @param baseUrl public URL of the platform
 */
export function showUser(user: User, baseUrl: string, selection: Selection = {}): ShownUser {
  const { enterprise, ...profile } = profileOf(user);
  const shown = {
    schemas: [USER_SCHEMA, ...(enterprise ? [ENTERPRISE_SCHEMA] : [])],
    id: user._id,
    ...profile,
    ...(enterprise && { [ENTERPRISE_SCHEMA]: enterprise }),
    meta: {
      resourceType: 'User' as const,
      created: new Date(user._createdAt).toISOString(),
      lastModified: new Date(user._updatedAt).toISOString(),
      location: locationOf(user, baseUrl),
      version: versionOf(user),
    },
  };
  return selectAttributes(shown, selection) as ShownUser;
}

const attributes = inAnyCase(withShown(knownNames(SentUserShown), knownNames(ShownUser)))!;
/** A name may also be a path, which the patch resolves: `name.givenName`. */
const isKnown = (name: string) => attributes.isKnown!(name) || /[.:[]/.test(name);
const value = { ...attributes, isKnown };
const ofPatch = { fields: new Map([['Operations', { each: { fields: new Map([['value', value]]) } }]]) };

/** Reports unknown attributes in operations without a path: ignored, or rejected if the caller prefers. */
export function reportUnknownAttributes(
  exchange: Pick<RequestContext, 'req' | 'res'>,
  { Operations }: PatchBody,
): void {
  const values = Operations.map(({ path, value }) => (path === undefined ? { value } : {}));
  reportUnknown(exchange, ofPatch, { Operations: values }, 'body');
}

export const SCIM_JSON = 'application/scim+json; charset=utf-8';

/**
 * Serves a list call (RFC 7644, section 3.4.2). The contract spells `resources`, the RFC `Resources`: a response has
 * both.
 */
export async function listUsers(
  { users, config }: UserParts,
  query: ListQuery,
  access: Access,
): Promise<RouteResponse> {
  const paging = { offset: query.startIndex - 1, pageSize: query.count };
  const { list, total } = await users.list(userQuery(query, config.BASE_URL), paging, access);
  const resources = list.map((user) => showUser(user, config.BASE_URL, query));
  const page = {
    schemas: [LIST_SCHEMA],
    totalResults: total,
    startIndex: query.startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
    resources,
  };
  return ok(page, { 'content-type': SCIM_JSON });
}

function userQuery({ filter, sortBy, sortOrder }: ListQuery, baseUrl: string): UserQuery {
  return {
    usersUrl: usersUrlOf(baseUrl),
    filter: filter === undefined || filter.trim() === '' ? undefined : parseFilter(filter),
    sort: sortBy === undefined ? undefined : { path: sortPath(sortBy), descending: sortOrder === 'descending' },
  };
}

/** A multi-valued attribute is sorted by its `value`. @throws invalidPath */
function sortPath(name: string): AttributePath {
  const path = resolveAttribute(name);
  if (!path || lastOf(path).returned === 'never')
    throw errors.invalidPath({ message: 'sortBy does not name an attribute of a user.' });
  const { subAttributes } = lastOf(path);
  const value = subAttributes?.find((one) => one.name === 'value');
  if (subAttributes && !value)
    throw errors.invalidPath({ message: 'sortBy names an attribute that has only sub-attributes.' });
  return value ? ([...path, value] as unknown as AttributePath) : path;
}

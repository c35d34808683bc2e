import { z } from 'zod';
import { hasPathCharacters, PATH_CHARACTERS } from '@dtplatform/contracts';
import { furtherNames, pagingParameters } from '@dtplatform/http';
import { Workspace } from '../directory/workspaces/workspace.js';
import { oneOf, repeated, textQuery } from './parameters.http.js';

const MAX_WORKSPACES = 100;
const PREFIX = '_userAttributes.';

const isAttribute = { isKnown: (name: string) => name.startsWith(PREFIX) };

/** Attributes may be sent as the object `_userAttributes`, as fields `_userAttributes.<path>`, or both. */
const SentWorkspace = Workspace.pick({ _name: true, _shortName: true, _description: true, _userType: true })
  .extend({ _userAttributes: Workspace.shape._userAttributes.default({}) })
  .loose();
furtherNames.add(SentWorkspace, isAttribute);
const NewWorkspace = SentWorkspace.transform(
  ({ _name, _shortName, _description, _userType, _userAttributes: attributes, ...rest }, context) => {
    const _userAttributes = { ...attributes };
    for (const [name, value] of Object.entries(rest)) {
      if (!name.startsWith(PREFIX)) continue;
      const path = name.slice(PREFIX.length);
      const message = setAttribute(_userAttributes, path, value);
      if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
    }
    return { _name, _shortName, _description, _userType, _userAttributes };
  },
);

/** @returns why the attribute cannot be set; undefined on success */
function setAttribute(attributes: Record<string, unknown>, path: string, value: unknown): string | undefined {
  if (!isStorablePath(path)) return NOT_A_PATH;
  if (hasPathCharacters(value)) return PATH_CHARACTERS;
  return setAt(attributes, path.split('.'), value) ? undefined : 'already has a value';
}

/** Sets a value at an unused path. @returns false if the path is used */
function setAt(attributes: Record<string, unknown>, [name = '', ...rest]: string[], value: unknown): boolean {
  if (rest.length === 0 && Object.hasOwn(attributes, name)) return false;
  if (rest.length === 0) attributes[name] = value;
  else if (!Object.hasOwn(attributes, name)) attributes[name] = {};
  const inside = attributes[name];
  return rest.length === 0 || (isObject(inside) && setAt(inside, rest, value));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const createBody = (kind: 'NewWorkspace' | 'NewUserGroup', what: string) => {
  const description = `${what} to create. Attributes can also be sent as top-level fields \`_userAttributes.<path>\`; dots in the path refer to nested objects.`;
  return z.array(NewWorkspace.meta({ id: kind, description })).max(MAX_WORKSPACES);
};
const MAX_PATH_LENGTH = 512;
const MAX_PATH_DEPTH = 32;
const NOT_A_PATH = `must name an attribute: up to ${MAX_PATH_DEPTH} names separated by dots, none of them empty or with a $`;
const isAttributePath = (path: string) =>
  path.length <= MAX_PATH_LENGTH && path.split('.').length <= MAX_PATH_DEPTH && /^[^$.\0]+(\.[^$.\0]+)*$/.test(path);

/** Paths in a body must also avoid these keys. */
const isStorablePath = (path: string) => isAttributePath(path) && !/(^|\.)(__proto__|_bsontype)(\.|$)/.test(path);

export const ListWorkspacesQuery = z
  .object({
    ...pagingParameters(),
    _name: oneOf('name'),
    _userType: oneOf('type'),
    _shortName: oneOf('short name'),
    query: textQuery('name, short name or description'),
    '_userAttributes.<name>': repeated
      .optional()
      .describe(
        'Only those whose attribute `<name>` has this value; dots refer to nested objects. Repeat the parameter for several values.',
      ),
  })
  .catchall(repeated)
  .superRefine((query, context) => {
    for (const name of Object.keys(query)) {
      const isWrong = name.startsWith(PREFIX) && !isAttributePath(name.slice(PREFIX.length));
      if (isWrong) context.addIssue({ code: 'custom', path: [name], message: NOT_A_PATH });
    }
  });

furtherNames.add(ListWorkspacesQuery, isAttribute);

export function workspaceQueryOf(query: z.infer<typeof ListWorkspacesQuery>) {
  const attributes = Object.entries(query as Record<string, unknown>)
    .filter(([name]) => name.startsWith(PREFIX))
    .map(([name, values]) => [name.slice(PREFIX.length), values]);
  const { _name, _userType, _shortName, query: text } = query;
  const fields = { ...(_name && { _name }), ...(_userType && { _userType }), ...(_shortName && { _shortName }) };
  return { fields, text, attributes: Object.fromEntries(attributes) as Record<string, string[]> };
}

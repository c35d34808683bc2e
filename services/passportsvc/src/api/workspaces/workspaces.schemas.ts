import { z } from 'zod';
import { pageOf, pagingParameters } from '@dtplatform/http';
import { ShownWorkspace, Workspace } from '../../domain/workspaces/workspace.js';
import { glob, repeated } from '../list-parameters.js';

const MAX_WORKSPACES = 100;
const PREFIX = '_userAttributes.';

/** Attributes may be sent as the object `_userAttributes`, as fields `_userAttributes.<name>`, or both. */
const NewWorkspace = Workspace.pick({ _name: true, _shortName: true, _description: true, _userType: true })
  .extend({ _userAttributes: Workspace.shape._userAttributes.default({}) })
  .loose()
  .transform(({ _name, _shortName, _description, _userType, _userAttributes, ...rest }) => ({
    _name,
    _shortName,
    _description,
    _userType,
    _userAttributes: { ..._userAttributes, ...dotted(rest) },
  }));

const dotted = (fields: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => name.startsWith(PREFIX) && name.length > PREFIX.length && name[PREFIX.length] !== '$')
      .map(([name, value]) => [name.slice(PREFIX.length), value]),
  );

export const CreateWorkspacesBody = z.array(NewWorkspace).max(MAX_WORKSPACES);

const MAX_PATH_LENGTH = 512;
const MAX_PATH_DEPTH = 32;
const NOT_A_PATH = `must name an attribute: up to ${MAX_PATH_DEPTH} names with dots between, none of them empty or with a $`;
const isAttributePath = (path: string) =>
  path.length <= MAX_PATH_LENGTH && path.split('.').length <= MAX_PATH_DEPTH && /^[^$.\0]+(\.[^$.\0]+)*$/.test(path);

/** Attributes are queried by parameters `_userAttributes.<name>`. */
export const ListWorkspacesQuery = z
  .object({
    ...pagingParameters(),
    _name: repeated.optional(),
    _userType: repeated.optional(),
    _shortName: repeated.optional(),
    query: glob.optional(),
  })
  .catchall(repeated)
  .superRefine((query, context) => {
    for (const name of Object.keys(query)) {
      const isWrong = name.startsWith(PREFIX) && !isAttributePath(name.slice(PREFIX.length));
      if (isWrong) context.addIssue({ code: 'custom', path: [name], message: NOT_A_PATH });
    }
  });

/** The use case's form of the query. */
export function workspaceQueryOf(query: z.infer<typeof ListWorkspacesQuery>) {
  const attributes = Object.entries(query as Record<string, unknown>)
    .filter(([name]) => name.startsWith(PREFIX))
    .map(([name, values]) => [name.slice(PREFIX.length), values]);
  const { _name, _userType, _shortName, query: text } = query;
  const fields = { ...(_name && { _name }), ...(_userType && { _userType }), ...(_shortName && { _shortName }) };
  return { fields, text, attributes: Object.fromEntries(attributes) as Record<string, string[]> };
}

export const WorkspaceParams = z.object({ id: Workspace.shape._id });
export const WorkspacePage = pageOf(ShownWorkspace);

import { z } from 'zod';
import { Metadata } from '@dtplatform/contracts';
import { pageOf, pagingParameters } from '@dtplatform/http';

const MAX_WORKSPACES = 100;
const PREFIX = '_userAttributes.';

const Attributes = z.record(z.string().regex(/^[^$]/, 'must not begin with $'), z.unknown());

/** `_userAttributes` may be an object or stand as `_userAttributes.<name>` beside the other fields, or both. */
const NewWorkspace = z
  .looseObject({
    _name: z.string().max(256).optional(),
    _shortName: z.string().max(22).optional(),
    _description: z.string().max(4096).optional(),
    _userType: z.string().max(128).optional(),
    _userAttributes: Attributes.default({}),
  })
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
export type CreateWorkspacesBody = z.infer<typeof CreateWorkspacesBody>;

/** A parameter that may be repeated for several values. */
const repeated = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => [value].flat())
  .pipe(z.array(z.string()).max(100));

/** Besides the named parameters there are those of attributes, `_userAttributes.<name>`. */
export const ListWorkspacesQuery = z
  .object({
    ...pagingParameters(),
    _name: repeated.optional(),
    _userType: repeated.optional(),
    _shortName: repeated.optional(),
    query: z.string().max(256).optional(),
  })
  .catchall(repeated);
export type ListWorkspacesQuery = z.infer<typeof ListWorkspacesQuery>;

/** The values asked for, by the path of the attribute. */
export function attributesOf(query: ListWorkspacesQuery): Record<string, string[]> {
  const entries = Object.entries(query as Record<string, unknown>)
    .filter(([name]) => name.startsWith(PREFIX) && /^[^$.\0]+(\.[^$.\0]+)*$/.test(name.slice(PREFIX.length)))
    .map(([name, values]) => [name.slice(PREFIX.length), values as string[]]);
  return Object.fromEntries(entries) as Record<string, string[]>;
}

export const WorkspaceParams = z.object({ id: z.string().max(64) });
export type WorkspaceParams = z.infer<typeof WorkspaceParams>;

/** Workspace (contract: Workspace). */
export const WorkspaceReply = z.object({
  _id: z.string(),
  _name: z.string().optional(),
  _shortName: z.string().optional(),
  _description: z.string().optional(),
  _userType: z.string().optional(),
  _namespaces: z.array(z.string()),
  _userAttributes: z.record(z.string(), z.unknown()),
  _metadata: Metadata,
});
export const WorkspacePage = pageOf(WorkspaceReply);

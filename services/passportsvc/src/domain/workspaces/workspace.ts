import { z } from 'zod';
import { MAX_NAMESPACES, Metadata, Namespace, ResourceId, Text } from '@dtplatform/contracts';
import { App } from '../apps/app.js';

/** A workspace (docs/contract.md, "Workspace"). */
export const Workspace = z.object({
  _id: ResourceId,
  _name: Text.max(256).optional(),
  _shortName: Text.max(22).optional(),
  _description: Text.max(4096).optional(),
  _userType: Text.max(128).optional(),
  _namespaces: z.array(Namespace),
  _userAttributes: z.record(z.string().regex(/^[^$]/, 'must not begin with $'), z.unknown()),
  _metadata: Metadata,
  /** The app through which the workspace was created; counts towards its `workspaces.limit`. Not shown. */
  _appId: App.shape._id,
  _revision: z.number().int().min(0),
});
export type Workspace = z.infer<typeof Workspace>;

/** What callers say of a new workspace. */
export type NewWorkspace = Pick<Workspace, '_name' | '_shortName' | '_description' | '_userType' | '_userAttributes'>;

/** What callers may change; only what is sent changes. */
export const WorkspaceChange = Workspace.pick({
  _name: true,
  _shortName: true,
  _description: true,
  _userType: true,
  _userAttributes: true,
})
  .extend({ _namespaces: Workspace.shape._namespaces.min(1).max(MAX_NAMESPACES) })
  .partial();
export type WorkspaceChange = z.infer<typeof WorkspaceChange>;

export const ShownWorkspace = Workspace.omit({ _appId: true, _revision: true });
export const showWorkspace = ({ _appId, _revision, ...shown }: Workspace): z.infer<typeof ShownWorkspace> => shown;

export const workspaceIrn = (id: string): string => `passportsvc:workspace:${id}`;

import { z } from 'zod';
import { Attributes, MAX_NAMESPACES, Metadata, Namespace, ResourceId, Text } from '@dtplatform/contracts';
import type { UsageRecorded } from '@dtplatform/contracts';
import { App } from '../apps/app.js';

export const Workspace = z.object({
  _id: ResourceId.describe('The id of the workspace: 24 hexadecimal digits.'),
  _name: Text.max(256).optional().describe('The display name of the workspace or group, not necessarily unique.'),
  _shortName: Text.max(22).optional().describe('A short name of the workspace or group, not necessarily unique.'),
  _description: Text.max(4096).optional().describe('A description of the workspace or group.'),
  _userType: Text.max(128)
    .optional()
    .describe('The kind of the workspace or group, chosen by the caller; lists can filter by it.'),
  _namespaces: z.array(Namespace).describe('The namespaces of the workspace or group. One is generated at creation.'),
  _userAttributes: Attributes.describe(
    'Attributes set by the caller: any values. Keys at any depth must not contain a dot or begin with `$`.',
  ),
  _metadata: Metadata,
  /** The app that created the workspace, for its `workspaces.limit`. Internal. */
  _appId: App.shape._id,
  _revision: z.number().int().min(0),
});
export type Workspace = z.infer<typeof Workspace>;

export type NewWorkspace = Pick<Workspace, '_name' | '_shortName' | '_description' | '_userType' | '_userAttributes'>;

/** Fields that callers may change; absent fields stay. */
export const WorkspaceChange = Workspace.pick({
  _name: true,
  _shortName: true,
  _description: true,
  _userType: true,
  _userAttributes: true,
})
  .extend({
    _namespaces: Workspace.shape._namespaces
      .min(1)
      .max(MAX_NAMESPACES)
      .describe('The current namespaces that the workspace or group is to keep.'),
  })
  .partial()
  .meta({ id: 'WorkspaceChange', description: 'New values of a workspace. Omitted fields do not change.' });
export type WorkspaceChange = z.infer<typeof WorkspaceChange>;

export const ShownWorkspace = Workspace.omit({ _appId: true, _revision: true }).meta({
  id: 'Workspace',
  description: 'A workspace with its own namespaces.',
});
export const showWorkspace = ({ _appId, _revision, ...shown }: Workspace): z.infer<typeof ShownWorkspace> => shown;

export const workspaceIrn = (id: string): string => `passportsvc:workspace:${id}`;

const METRIC = 'dtplatform.passportsvc.WorkspaceCount';

/**
 * The usage that workspaces add to or remove from each of their namespaces (docs/metrics.md).
 */
export const usageOf = (namespaces: string[], amount: 1 | -1, atMs: number): UsageRecorded[] =>
  namespaces.map((_namespace) => ({
    _namespace,
    _at: atMs,
    _changes: [{ _metric: METRIC, _dimensions: {}, _amount: amount }],
  }));

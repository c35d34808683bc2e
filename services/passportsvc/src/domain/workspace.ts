import type { Metadata } from '@dtplatform/contracts';

/** A workspace (contract: Workspace). */
export interface Workspace {
  _id: string;
  _name?: string;
  _shortName?: string;
  _description?: string;
  _userType?: string;
  _namespaces: string[];
  _userAttributes: Record<string, unknown>;
  _metadata: Metadata;
  /** The app with whose token it was created; its `workspaces.limit` counts it. Not shown. */
  _appId: string;
}

export type ShownWorkspace = Omit<Workspace, '_appId'>;

export const workspaceIrn = (id: string): string => `passportsvc:workspace:${id}`;

export const shownWorkspace = ({ _appId, ...shown }: Workspace): ShownWorkspace => shown;

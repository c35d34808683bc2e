import { defineModel, id, json, metadata, number, text } from '@dtplatform/mongo';
import type { Workspace } from '../../domain/workspaces/workspace.js';

export const workspaceModel = defineModel<Workspace>('workspaces', {
  _id: id,
  _name: String,
  _shortName: String,
  _description: String,
  _userType: String,
  _namespaces: [String],
  _userAttributes: json,
  _metadata: metadata,
  _appId: text,
  _revision: number,
});

workspaceModel.schema.index({ _namespaces: 1, _id: 1 }, { name: 'namespaces' }).index({ _appId: 1 }, { name: 'app' });

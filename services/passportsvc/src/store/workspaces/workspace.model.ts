import { defineModel, id, json, number, part, text } from '@dtplatform/mongo';
import type { Workspace } from '../../domain/workspaces/workspace.js';

export const workspaceModel = defineModel<Workspace>('workspaces', {
  _id: id,
  _name: String,
  _shortName: String,
  _description: String,
  _userType: String,
  _namespaces: [String],
  _userAttributes: json,
  _metadata: part<Workspace['_metadata']>({
    _createdAt: number,
    _updatedAt: number,
    _createdById: text,
    _updatedById: text,
    _createdByName: String,
    _updatedByName: String,
  }),
  _appId: text,
  _revision: number,
});

workspaceModel.schema.index({ _namespaces: 1, _id: 1 }, { name: 'namespaces' }).index({ _appId: 1 }, { name: 'app' });

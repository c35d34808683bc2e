import { defineModel, flag, id, ifPresent, json, number, part, text } from '@dtplatform/mongo';
import type { App } from '../../domain/apps/app.js';

export const appModel = defineModel<App>('apps', {
  _id: id,
  _name: text,
  _shortName: text,
  _userType: String,
  _orgId: text,
  _authorizedGrantTypes: String,
  _redirectUris: String,
  _authorizedOrigins: String,
  _namespaces: [String],
  _whitelistedApps: [String],
  _loginTheme: String,
  _home: String,
  _metadata: part<App['_metadata']>({ _createdAt: number, _updatedAt: number, _updatedById: text }),
  // Its keys contain dots.
  _configs: json,
  _secretHash: text,
  _ownerId: String,
  _trusted: flag,
  _accessTokenTtlSec: Number,
  _workspaceWrites: Number,
  _revision: number,
});

appModel.schema
  .index({ _shortName: 1 }, { name: 'short_name', unique: true })
  .index({ _ownerId: 1, _id: 1 }, { name: 'owner' })
  .index({ _orgId: 1, _id: 1 }, { name: 'organization' })
  .index({ _namespaces: 1, _id: 1 }, { name: 'namespaces' })
  .index({ _authorizedOrigins: 1 }, { name: 'authorized_origins', ...ifPresent('_authorizedOrigins') });

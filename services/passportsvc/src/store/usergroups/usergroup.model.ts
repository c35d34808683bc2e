import { defineModel, flag, id, json, metadata, number, text } from '@dtplatform/mongo';
import type { UserGroup } from '../../domain/usergroups/usergroup.js';

export const usergroupModel = defineModel<UserGroup>('usergroups', {
  _id: id,
  _name: String,
  _shortName: String,
  _description: String,
  _userType: String,
  _namespaces: [String],
  _userAttributes: json,
  _metadata: metadata,
  _appId: text,
  _orgId: text,
  _membersPending: Boolean,
  _inviteWrites: Number,
  _deleted: flag,
  _revision: number,
});

usergroupModel.schema
  .index({ _namespaces: 1, _id: 1 }, { name: 'namespaces' })
  .index({ _appId: 1 }, { name: 'app' })
  .index({ _membersPending: 1 }, { name: 'pending', partialFilterExpression: { _membersPending: true } });

import { defineModel, flag, id, json, metadata, number, text } from '@dtplatform/mongo';
import type { Member } from './members.js';
import type { UserGroup } from './usergroup.js';

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

export const memberModel = defineModel<Member>('usergroup_members', { _id: id, _groupId: text, _userId: text });

memberModel.schema
  .index({ _groupId: 1, _userId: 1 }, { name: 'group' })
  .index({ _userId: 1, _groupId: 1 }, { name: 'user' });

import { modelOf } from '@dtplatform/mongo';
import { Member } from './members.js';
import { UserGroup } from './usergroup.js';

export const usergroupModel = modelOf('usergroups', UserGroup, {
  indexes: [
    { key: { _namespaces: 1, _id: 1 }, name: 'namespaces' },
    { key: { _appId: 1 }, name: 'app' },
    { key: { _membersPending: 1 }, name: 'pending', partialFilterExpression: { _membersPending: true } },
  ],
});

export const memberModel = modelOf('usergroup_members', Member, {
  indexes: [
    { key: { _groupId: 1, _userId: 1 }, name: 'group' },
    { key: { _userId: 1, _groupId: 1 }, name: 'user' },
  ],
});

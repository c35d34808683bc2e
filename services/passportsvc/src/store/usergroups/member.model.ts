import { defineModel, id, text } from '@dtplatform/mongo';
import type { Member } from '../../domain/usergroups/member.js';

export const memberModel = defineModel<Member>('usergroup_members', { _id: id, _groupId: text, _userId: text });

memberModel.schema
  .index({ _groupId: 1, _userId: 1 }, { name: 'group' })
  .index({ _userId: 1, _groupId: 1 }, { name: 'user' });

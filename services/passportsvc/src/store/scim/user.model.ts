import { defineModel, flag, id, number, optionalArray, part, text } from '@dtplatform/mongo';
import type { User } from '../../domain/scim/user.js';

export const userModel = defineModel<User>('users', {
  _id: id,
  _orgId: text,
  userName: text,
  _userNameKey: text,
  _emailKeys: [String],
  emails: optionalArray(
    part<NonNullable<User['emails']>[number]>({
      value: text,
      type: { type: String },
      primary: Boolean,
      display: String,
    }),
  ),
  displayName: String,
  active: flag,
  name: part<NonNullable<User['name']>>({ formatted: String, givenName: String, familyName: String }),
  locale: String,
  externalId: String,
  _passwordHash: String,
  _admin: flag,
  _createdAt: number,
  _updatedAt: number,
  _revision: number,
});

userModel.schema
  .index({ _userNameKey: 1 }, { name: 'user_name', unique: true })
  .index({ _emailKeys: 1 }, { name: 'emails' });

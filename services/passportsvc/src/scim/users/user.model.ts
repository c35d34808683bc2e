import { defineModel, flag, id, json, number, optionalArray, part, text } from '@dtplatform/mongo';
import type { User } from './user.js';

type Value = NonNullable<User['phoneNumbers']>[number];
type Address = NonNullable<User['addresses']>[number];
type Enterprise = NonNullable<User['enterprise']>;

const plural = (value: typeof String | typeof text = String) =>
  optionalArray(part<Value>({ value, display: String, type: { type: String }, primary: Boolean }));

export const userModel = defineModel<User>('users', {
  _id: id,
  _orgId: text,
  userName: text,
  _userNameKey: text,
  _emailKeys: [String],
  externalId: String,
  name: part<NonNullable<User['name']>>({
    formatted: String,
    familyName: String,
    givenName: String,
    middleName: String,
    honorificPrefix: String,
    honorificSuffix: String,
  }),
  displayName: String,
  nickName: String,
  profileUrl: String,
  title: String,
  userType: String,
  preferredLanguage: String,
  locale: String,
  timezone: String,
  active: flag,
  emails: plural(text),
  phoneNumbers: plural(),
  ims: plural(),
  photos: plural(),
  addresses: optionalArray(
    part<Address>({
      formatted: String,
      streetAddress: String,
      locality: String,
      region: String,
      postalCode: String,
      country: String,
      type: { type: String },
      primary: Boolean,
    }),
  ),
  entitlements: plural(),
  roles: plural(),
  x509Certificates: plural(),
  enterprise: part<Enterprise>({
    employeeNumber: String,
    costCenter: String,
    organization: String,
    division: String,
    department: String,
    manager: part<NonNullable<Enterprise['manager']>>({ value: String, displayName: String }),
  }),
  _search: json,
  _passwordHash: String,
  _admin: flag,
  _createdAt: number,
  _updatedAt: number,
  _revision: number,
});

// With the organization behind each attribute, a caller's own users are found without reading others.
userModel.schema
  .index({ _userNameKey: 1 }, { name: 'user_name', unique: true })
  .index({ _emailKeys: 1 }, { name: 'emails' })
  .index({ _orgId: 1, _id: 1 }, { name: 'organization' })
  .index({ _orgId: 1, _userNameKey: 1 }, { name: 'organization_user_name' })
  .index({ externalId: 1, _orgId: 1 }, { name: 'external_id' })
  .index({ '_search.emails.value': 1, _orgId: 1 }, { name: 'search_email' })
  .index({ '_search.displayName': 1, _orgId: 1 }, { name: 'search_display_name' })
  .index({ '_search.name.familyName': 1, _orgId: 1 }, { name: 'search_family_name' })
  .index({ '_search.name.givenName': 1, _orgId: 1 }, { name: 'search_given_name' })
  .index({ '_search.enterprise.employeeNumber': 1, _orgId: 1 }, { name: 'search_employee_number' })
  .index({ _createdAt: 1, _orgId: 1, _id: 1 }, { name: 'by_creation' })
  .index({ _updatedAt: 1, _orgId: 1, _id: 1 }, { name: 'by_change' });

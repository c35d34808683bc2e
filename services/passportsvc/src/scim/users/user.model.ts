import { modelOf } from '@dtplatform/mongo';
import { User } from './user.js';

export const userModel = modelOf('users', User, {
  // The organization follows each attribute, so that a caller's own users are found without reading others.
  indexes: [
    { key: { _userNameKey: 1 }, name: 'user_name', unique: true },
    { key: { _emailKeys: 1 }, name: 'emails' },
    { key: { _orgId: 1, _id: 1 }, name: 'organization' },
    { key: { _orgId: 1, _userNameKey: 1 }, name: 'organization_user_name' },
    { key: { externalId: 1, _orgId: 1 }, name: 'external_id' },
    { key: { '_search.emails.value': 1, _orgId: 1 }, name: 'search_email' },
    { key: { '_search.displayName': 1, _orgId: 1 }, name: 'search_display_name' },
    { key: { '_search.name.familyName': 1, _orgId: 1 }, name: 'search_family_name' },
    { key: { '_search.name.givenName': 1, _orgId: 1 }, name: 'search_given_name' },
    { key: { '_search.enterprise.employeeNumber': 1, _orgId: 1 }, name: 'search_employee_number' },
    { key: { _createdAt: 1, _orgId: 1, _id: 1 }, name: 'by_creation' },
    { key: { _updatedAt: 1, _orgId: 1, _id: 1 }, name: 'by_change' },
    { key: { _admin: 1, _id: 1 }, name: 'administrators', partialFilterExpression: { _admin: true } },
  ],
});

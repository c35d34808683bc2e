import { defineModel, id, modelOf, number } from '@dtplatform/mongo';
import { Permission } from './permission.js';

export const permissionModel = modelOf('permissions', Permission, {
  // Compared as a whole.
  json: ['_resourceDesc._criteria', '_resourceDesc._subresourceDesc'],
  indexes: [
    // Identifies a record: of entries with the same fields, the later one replaces the earlier one.
    {
      key: {
        _namespace: 1,
        '_user._type': 1,
        '_user._id': 1,
        '_resourceDesc._irn': 1,
        '_resourceDesc._criteria': 1,
        '_resourceDesc._subresourceDesc': 1,
      },
      name: 'record',
      unique: true,
    },
    { key: { _namespace: 1, '_resourceDesc._irn': 1, _id: 1 }, name: 'holders' },
    { key: { '_user._id': 1, '_user._type': 1, _namespace: 1 }, name: 'namespaces_of_user' },
    {
      key: { _namespace: 1 },
      name: 'owners',
      partialFilterExpression: { '_resourceDesc._irn': '*:*:*', _actions: '*' },
    },
  ],
});

/** Written by every transaction that removes an owner of the namespace, which serializes them. */
export interface NamespaceOwners {
  /** The namespace. */
  _id: string;
  _revision: number;
}

export const namespaceOwnersModel = defineModel<NamespaceOwners>('namespace_owners', { _id: id, _revision: number });

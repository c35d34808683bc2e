import type { Subject } from '@dtplatform/contracts';
import { defineModel, id, json, metadataWithoutNames, number, part, text } from '@dtplatform/mongo';
import type { Permission } from './permission.js';

export const permissionModel = defineModel<Permission>('permissions', {
  _id: id,
  _namespace: text,
  _resourceDesc: part<Permission['_resourceDesc']>({ _irn: text, _criteria: json, _subresourceDesc: json }),
  _user: part<Subject>({ _type: text, _id: text }),
  _actions: [text],
  _metadata: metadataWithoutNames,
  _revision: number,
});

/** What makes a record: of entries with the same fields, the later one replaces the earlier one. */
permissionModel.schema.index(
  {
    _namespace: 1,
    '_user._type': 1,
    '_user._id': 1,
    '_resourceDesc._irn': 1,
    '_resourceDesc._criteria': 1,
    '_resourceDesc._subresourceDesc': 1,
  },
  { name: 'record', unique: true },
);
permissionModel.schema.index({ '_user._id': 1, '_user._type': 1, _namespace: 1 }, { name: 'namespaces_of_user' });
permissionModel.schema.index(
  { _namespace: 1 },
  { name: 'owners', partialFilterExpression: { '_resourceDesc._irn': '*:*:*', _actions: '*' } },
);

/** Changes with every write that takes an owner of the namespace away, so that such writes happen one after the other. */
export interface NamespaceOwners {
  /** The namespace. */
  _id: string;
  _revision: number;
}

export const namespaceOwnersModel = defineModel<NamespaceOwners>('namespace_owners', { _id: id, _revision: number });

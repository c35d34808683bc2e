import type { Subject } from '@dtplatform/contracts';
import { defineModel, id, json, metadataWithoutNames, MongoServerError, number, part, text } from '@dtplatform/mongo';
import type { Migration } from '@dtplatform/mongo';
import type { Permission } from '../../domain/permissions/permission.js';

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
const RECORD = {
  keys: {
    _namespace: 1,
    '_user._type': 1,
    '_user._id': 1,
    '_resourceDesc._irn': 1,
    '_resourceDesc._criteria': 1,
    '_resourceDesc._subresourceDesc': 1,
  },
  options: { name: 'record', unique: true },
} as const;
permissionModel.schema.index({ ...RECORD.keys }, RECORD.options);
permissionModel.schema.index({ '_user._id': 1, '_user._type': 1, _namespace: 1 }, { name: 'namespaces_of_user' });
permissionModel.schema.index(
  { _namespace: 1 },
  { name: 'owners', partialFilterExpression: { '_resourceDesc._irn': '*:*:*', _actions: '*' } },
);

const INDEX_NOT_FOUND = 27;

/**
 * Earlier versions knew a record by its resource name alone: their index would refuse a second one with criteria. The new
 * index comes first, so that records stay unique meanwhile.
 */
export const allowCriteria: Migration['up'] = async (db) => {
  const permissions = db.collection(permissionModel.collection);
  await permissions.createIndex(RECORD.keys, RECORD.options, {});
  try {
    await permissions.dropIndex('identity');
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== INDEX_NOT_FOUND) throw error;
  }
};

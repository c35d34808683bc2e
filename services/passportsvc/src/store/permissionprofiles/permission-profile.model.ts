import { defineModel, id, metadata, number, text } from '@dtplatform/mongo';
import type { PermissionProfile } from '../../domain/permissionprofiles/permission-profile.js';

export const permissionProfileModel = defineModel<PermissionProfile>('permissionprofiles', {
  _id: id,
  _name: text,
  _description: String,
  _namespaces: [String],
  _metadata: metadata,
  _revision: number,
});

permissionProfileModel.schema.index({ _namespaces: 1, _id: 1 }, { name: 'namespaces' });

import { defineModel, id, text } from '@dtplatform/mongo';
import type { PermissionAction } from '../../domain/permission-actions/permission-action.js';

export const permissionActionModel = defineModel<PermissionAction>('permission_actions', {
  _id: id,
  _svc: text,
  _resource: text,
  _actions: [String],
});

permissionActionModel.schema
  .index({ _svc: 1, _resource: 1 }, { name: 'svc_resource', unique: true })
  .index({ _resource: 1, _svc: 1 }, { name: 'resource_svc' });

import { defineModel, id, json, number, optionalArray, text } from '@dtplatform/mongo';
import type { AuditEntry } from '../../domain/permissions/audit.js';

/** A change of a permission, and when its record expires. */
export interface StoredAuditEntry extends AuditEntry {
  expiresAt: Date;
}

export const permissionAuditModel = defineModel<StoredAuditEntry>('permission_audit', {
  _id: id,
  _at: number,
  _byId: text,
  _change: text,
  _namespace: text,
  _resourceDesc: json,
  _user: json,
  _actions: optionalArray(text),
  _previousActions: optionalArray(text),
  expiresAt: { type: Date, required: true },
});

permissionAuditModel.schema
  .index({ _namespace: 1, _at: -1, _id: -1 }, { name: 'newest' })
  .index({ _namespace: 1, '_user._id': 1, _at: -1, _id: -1 }, { name: 'newest_of_user' })
  .index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: 0 });

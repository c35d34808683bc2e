import { defineModel, id } from '@dtplatform/mongo';
import type { AppliedMessage } from '../../domain/metrics/applied-message.js';

/** A message is delivered again if its sender stopped before it recorded the delivery, and resumes later. */
const REMEMBER_APPLIED_SEC = 14 * 24 * 3600;

export const appliedMessageModel = defineModel<AppliedMessage>('applied_messages', {
  _id: id,
  at: { type: Date, required: true },
});
appliedMessageModel.schema.index({ at: 1 }, { name: 'expiry', expireAfterSeconds: REMEMBER_APPLIED_SEC });

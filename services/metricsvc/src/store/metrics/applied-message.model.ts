import { modelOf } from '@dtplatform/mongo';
import { AppliedMessage } from '../../domain/metrics/applied-message.js';

/** A message is delivered again if its sender stopped before it recorded the delivery, and resumes later. */
const REMEMBER_APPLIED_SEC = 14 * 24 * 3600;

export const appliedMessageModel = modelOf('applied_messages', AppliedMessage, {
  indexes: [{ key: { at: 1 }, name: 'expiry', expireAfterSeconds: REMEMBER_APPLIED_SEC }],
});

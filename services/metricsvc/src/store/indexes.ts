import type { IndexPlan } from '@dtplatform/mongo';

/** A message is delivered again if its sender stopped before it recorded the delivery, and resumes later. */
const REMEMBER_APPLIED_SEC = 14 * 24 * 3600;

/** All reads are by `_id`. */
export const indexes: IndexPlan = {
  series: [],
  series_months: [],
  dimension_aliases: [],
  applied_messages: [{ name: 'expiry', key: { at: 1 }, expireAfterSeconds: REMEMBER_APPLIED_SEC }],
};

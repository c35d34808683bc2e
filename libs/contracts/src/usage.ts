import { z } from 'zod';
import { Namespace } from './names.js';

/** A change of how much a namespace holds: metricsvc adds it up. Idempotent by the message's id. */
export const UsageRecorded = z.object({
  _namespace: Namespace,
  /** Milliseconds since 1970. */
  _at: z.number(),
  _changes: z
    .array(
      z.object({
        /** Name of the metric, such as `dtplatform.filesvc.FileCount`. */
        _metric: z.string(),
        /** Narrower dimensions beside the namespace, such as `file_id` or `collection`; ids only. */
        _dimensions: z.record(z.string(), z.string()).default({}),
        /** What is added; negative when something was removed. */
        _amount: z.number(),
      }),
    )
    .min(1),
});
export type UsageRecorded = z.infer<typeof UsageRecorded>;

/** The message by which services tell metricsvc of usage. */
export const usageRecorded = {
  queue: 'metricsvc.usage',
  name: 'usage.recorded.v1',
  payload: UsageRecorded,
} as const;

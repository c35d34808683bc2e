import { z } from 'zod';
import { Namespace } from './names.js';

/** A change of one metric. */
export const UsageChange = z
  .object({
    _metric: z.string().describe('The name of the metric, such as `dtplatform.filesvc.FileCount`.'),
    _dimensions: z
      .record(z.string(), z.string())
      .default({})
      .describe('Further dimensions in addition to the namespace, such as `file_id` or `collection`; ids only.'),
    _aliases: z
      .record(z.string(), z.string())
      .optional()
      .describe(
        'Alternative names of dimension values, which callers may also use: the number of a `version`, ' +
          'the `_userItemId` of a `collection` or `item`.',
      ),
    _amount: z.number().describe('The amount added; negative for a removal.'),
  })
  .meta({ id: 'UsageChange', description: 'An amount to add to a metric.' });
export type UsageChange = z.infer<typeof UsageChange>;

/** Changes of a namespace's usage. metricsvc applies each batch once, by its id. */
export const UsageRecorded = z.object({
  _namespace: Namespace,
  /** Milliseconds since 1970. */
  _at: z.number(),
  _changes: z.array(UsageChange).min(1),
});
export type UsageRecorded = z.infer<typeof UsageRecorded>;

/** The message to metricsvc with the usage of several writes. */
export const usageBatch = {
  queue: 'metricsvc.usage',
  name: 'usage.batch.v1',
  payload: z.object({ messages: z.array(UsageRecorded).min(1) }),
  attempts: 12,
} as const;
export type UsageBatch = z.infer<typeof usageBatch.payload>;

/** The message that reports the usage of one write. */
export const usageRecorded = {
  queue: usageBatch.queue,
  name: 'usage.recorded.v1',
  payload: UsageRecorded,
  batch: usageBatch.name,
} as const;

import { z } from 'zod';
import { Namespace } from './names.js';

/** What is added to one metric. */
export const UsageChange = z
  .object({
    _metric: z.string().describe('The name of the metric, such as `dtplatform.filesvc.FileCount`.'),
    _dimensions: z
      .record(z.string(), z.string())
      .default({})
      .describe('Narrower dimensions beside the namespace, such as `file_id` or `collection`; ids only.'),
    _aliases: z
      .record(z.string(), z.string())
      .optional()
      .describe(
        'Second names of the values of dimensions, by which callers may ask for them as well: the number of a `version`, ' +
          'the `_userItemId` of a `collection` or `item`.',
      ),
    _amount: z.number().describe('What is added; negative when something was removed.'),
  })
  .meta({ id: 'UsageChange', description: 'What is added to one metric.' });
export type UsageChange = z.infer<typeof UsageChange>;

/** A change of how much a namespace holds: metricsvc adds it up. Idempotent by the message's id. */
export const UsageRecorded = z.object({
  _namespace: Namespace,
  /** Milliseconds since 1970. */
  _at: z.number(),
  _changes: z.array(UsageChange).min(1),
});
export type UsageRecorded = z.infer<typeof UsageRecorded>;

/** The message by which services report usage to metricsvc. */
export const usageRecorded = {
  queue: 'metricsvc.usage',
  name: 'usage.recorded.v1',
  payload: UsageRecorded,
  /** With the back-off doubling from a second, about an hour: what fails permanently is missing in the metrics. */
  attempts: 12,
} as const;

import { z } from 'zod';
import { Namespace, ResourceId } from './names.js';
import { UsageChange } from './usage.js';

/** Sorts after every owner's id. */
export const LAST_OWNER = 'f'.repeat(24);

/**
 * What to recount in a namespace: without owners, the metrics without dimensions; with owners (files or items), the
 * other metrics of those whose ids are after `after` (may be empty) and up to `until`.
 */
export const UsageRecountQuery = z
  .object({
    namespace: Namespace.describe('The namespace to recount.'),
    after: z
      .union([ResourceId, z.literal('')])
      .optional()
      .describe('Recount owners with greater ids; empty for the first range.'),
    until: ResourceId.optional().describe('The greatest id of the range of owners.'),
  })
  .refine(({ after, until }) => (after === undefined) === (until === undefined), {
    path: ['until'],
    message: 'is required together with after',
  });
export type UsageRecountQuery = z.infer<typeof UsageRecountQuery>;

/** The usage of a namespace at one point in time. */
export const UsageRecount = z
  .object({
    _changes: z.array(UsageChange).describe('The recounted amounts; empty if there are too many to recount.'),
    _waiting: z
      .array(
        z.object({
          _id: z.string().describe('The id of the message.'),
          _changes: z.array(UsageChange).describe('The amounts that it reports.'),
        }),
      )
      .describe('Messages about the namespace that metricsvc may not have processed by then.'),
    _unsettled: z.array(z.string()).describe('Owners whose amounts are changing and cannot be compared.'),
    _isComplete: z.boolean().describe('False if there are too many amounts or waiting messages to recount.'),
    _until: ResourceId.optional().describe(
      'The end of the next range of owners, which follows this one; absent after the last range.',
    ),
  })
  .meta({ id: 'UsageRecount', description: 'The data of a service at a point in time.' });
export type UsageRecount = z.infer<typeof UsageRecount>;

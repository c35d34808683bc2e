import { createHash } from 'node:crypto';
import { z } from 'zod';
import { UsageRecorded } from '@dtplatform/contracts';
import { startOfHour } from './hours.js';

const Change = UsageRecorded.shape._changes.element;
type Change = z.infer<typeof Change>;

/** Usage of a metric that this version does not know, kept for one that does: the sum of an hour. */
export const UnknownUsage = z.object({
  _id: z.string(),
  namespace: UsageRecorded.shape._namespace,
  metric: Change.shape._metric,
  dimensions: Change.shape._dimensions,
  aliases: Change.shape._aliases,
  /** Start of the hour, in milliseconds since 1970. */
  at: z.number(),
  amount: z.number(),
});
export type UnknownUsage = z.infer<typeof UnknownUsage>;

export function unknownUsageOf(
  namespace: string,
  atMs: number,
  { _metric: metric, _dimensions: dimensions, _aliases: aliases, _amount: amount }: Change,
): UnknownUsage {
  const at = startOfHour(atMs);
  const identity = JSON.stringify([namespace, metric, at, Object.entries(dimensions).sort()]);
  const _id = createHash('sha256').update(identity).digest('hex');
  return { _id, namespace, metric, dimensions, ...(aliases && { aliases }), at, amount };
}

/** What was kept, as the message that it came from. */
export const usageOfUnknown = ({
  namespace,
  metric,
  dimensions,
  aliases,
  at,
  amount,
}: UnknownUsage): UsageRecorded => ({
  _namespace: namespace,
  _at: at,
  _changes: [{ _metric: metric, _dimensions: dimensions, ...(aliases && { _aliases: aliases }), _amount: amount }],
});

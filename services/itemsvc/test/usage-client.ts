import { UsageRecorded } from '@dtplatform/contracts';
import type { UsageChange } from '@dtplatform/contracts';
import type { Here } from './start-app.js';

export type RecordedChange = UsageChange & { namespace: string };

/** The changes of usage in the outbox. They stay there, because no metricsvc consumes them. */
export async function usageInOutbox({ stored }: Pick<Here['app'], 'stored'>): Promise<RecordedChange[]> {
  const entries = await stored('outbox').find({ queue: 'metricsvc.usage' }).toArray();
  // A relay puts messages into batches.
  const messages = entries.flatMap(({ payload }) => (payload as { messages?: unknown[] }).messages ?? [payload]);
  return messages.flatMap((message) => {
    const { _namespace: namespace, _changes } = UsageRecorded.parse(message);
    return _changes.map((change) => ({ ...change, namespace }));
  });
}

/** Sums of amounts by key. */
export function sumsBy<C extends { _amount: number }>(
  changes: readonly C[],
  keyOf: (change: C) => string,
): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const change of changes) sums[keyOf(change)] = (sums[keyOf(change)] ?? 0) + change._amount;
  return sums;
}

/** The sums that are not 0. */
export const nonZero = (sums: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0));

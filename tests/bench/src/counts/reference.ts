import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { repoRoot } from '@dtplatform/stack';
import type { Counted } from './count.js';

const FILE = path.join(repoRoot, 'tests/bench/counts.json');
/**
 * Permitted rise of a count: a tenth, plus time-dependent work such as sweeps and, for Redis, the jobs of hand-overs,
 * which fewer calls share on a slow machine.
 */
const MAX_RISE = 1.1;
const SWEEPS = 0.5;
const HAND_OVERS = 2;

/** Counts by operation and number of callers. */
type Reference = Record<string, Record<string, Record<string, number>>>;

export const readReference = async (): Promise<Reference> => JSON.parse(await readFile(FILE, 'utf8')) as Reference;

/** Replaces the counts of these operations, with one decimal. */
export async function writeReference(counted: readonly Counted[]): Promise<void> {
  const reference = await readReference();
  for (const { operation, callers, counts } of counted) {
    const rounded = Object.entries(counts).map(([name, count]) => [name, Number(count.toFixed(1))] as const);
    reference[operation] = { ...reference[operation], [callers]: Object.fromEntries<number>(rounded) };
  }
  await writeFile(FILE, `${linePerCount(reference)}\n`);
}

/** Each count is one line, so that changes are easy to review. */
const linePerCount = (reference: Reference): string =>
  JSON.stringify(reference, null, 2).replaceAll(/{([^{}]+)}/g, (object) => object.replaceAll(/\s+/g, ' '));

/** Names the counts above the reference; lower counts are fine. */
export function risenCounts(
  counted: readonly Pick<Counted, 'operation' | 'callers' | 'counts'>[],
  reference: Reference,
): string[] {
  return counted.flatMap(({ operation, callers, counts }) => {
    const before = reference[operation]![callers]!;
    return Object.entries(counts)
      .filter(([name, count]) => count > before[name]! * MAX_RISE + (name === 'redis' ? HAND_OVERS : SWEEPS))
      .map(([name, count]) => `${operation}, ${callers} at once: ${name} ${count.toFixed(1)}, was ${before[name]}`);
  });
}

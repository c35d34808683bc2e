import type { Delta, Totals } from '@dtplatform/queue';
import type { File } from '../domain/file.js';

const ALL = 'file';
/** Files and folders that are in several namespaces: they count in each. */
const SHARED = 'file.shared';

/** What one file or folder more (or less) adds to the totals of one of its namespaces. */
export function deltasOf({ _namespaces }: Pick<File, '_namespaces'>, namespace: string, amount: number): Delta[] {
  const keys = _namespaces.length > 1 ? [ALL, SHARED] : [ALL];
  return keys.map((key) => ({ key, namespace, amount }));
}

/** How many files and folders namespaces hold together; undefined where some are in several, so that a sum would be wrong. */
export async function totalOf(totals: Totals, namespaces: string[]): Promise<number | undefined> {
  if (namespaces.length > 1 && (await totals.read(SHARED, namespaces)) !== 0) return undefined;
  return totals.read(ALL, namespaces);
}

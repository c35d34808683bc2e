import type { Delta, Totals } from '@dtplatform/queue';
import type { File } from '../../domain/files/file.js';

const ALL = 'file';
/** Files and folders in several namespaces; they count in each of them. */
const SHARED = 'file.shared';

/** How one file or folder more (or less) changes the totals of one of its namespaces. */
export function deltasOf({ _namespaces }: Pick<File, '_namespaces'>, namespace: string, amount: number): Delta[] {
  const keys = _namespaces.length > 1 ? [ALL, SHARED] : [ALL];
  return keys.map((key) => ({ key, namespace, amount }));
}

/**
 * The number of files and folders in all of the namespaces; undefined if some are in several, since a sum would be
 * wrong.
 */
export async function totalOf(totals: Totals, namespaces: string[]): Promise<number | undefined> {
  if (namespaces.length > 1 && (await totals.read(SHARED, namespaces)) !== 0) return undefined;
  return totals.read(ALL, namespaces);
}

import type { PermissionEntry } from '@dtplatform/contracts';
import { errors } from '../../errors.js';
import { recordKey } from './permission.js';
import type { PermissionChanges } from './ports.js';

/** Each decision and each list of items looks at all of them. */
const MAX_WITH_CRITERIA = 100;

/**
 * Bounds how many records with criteria a subject has in a namespace. Knows what the entries before have added.
 * @param stored the records that the write replaces
 */
export function createCriteriaCount(changes: PermissionChanges, stored: PermissionEntry[]) {
  const known = new Set(stored.map(recordKey));
  const counts = new Map<string, number>();
  return {
    /** Counts the next entry of the write. @throws tooManyCriteria */
    async add(entry: PermissionEntry): Promise<void> {
      const { _namespace, _user, _resourceDesc } = entry;
      if ((!_resourceDesc._criteria && !_resourceDesc._subresourceDesc) || known.has(recordKey(entry))) return;
      const key = JSON.stringify([_namespace, _user._type, _user._id]);
      const count = counts.get(key) ?? (await changes.countLimited(_namespace, _user));
      if (count >= MAX_WITH_CRITERIA) throw errors.tooManyCriteria();
      counts.set(key, count + 1);
      known.add(recordKey(entry));
    },
  };
}

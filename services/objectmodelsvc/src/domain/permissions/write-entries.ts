import pLimit from 'p-limit';
import type { PermissionEntry, Subject } from '@dtplatform/contracts';
import { isRefusal } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../../errors.js';
import { createCriteriaCount } from './count-criteria.js';
import type { PermissionStore, Subjects } from './ports.js';
import { removeHeldBy } from './remove-subject.js';
import type { RefusedEntry } from './sent-entry.js';
import { createTakingAway } from './taking-away.js';

/** Calls at the same time. */
const LOOKUPS_AT_ONCE = 8;

/** An entry that the caller may grant. */
export interface ValidEntry {
  entry: PermissionEntry;
  raw: unknown;
  _index: number;
}

interface Deps {
  permissionStore: PermissionStore;
  subjects: Subjects;
}

export const subjectKey = ({ _type, _id }: Subject) => `${_type}:${_id}`;

/** Whether a subject exists now; a group also needs members, without whom nobody holds what it holds. */
export const createLiveness =
  ({ permissionStore, subjects }: Deps) =>
  (subject: Subject): Promise<boolean> =>
    subject._type === 'usergroup' ? permissionStore.hasMembers(subject._id) : subjects.exists(subject, { now: true });

/** Writes the entries that may be written, and reports the others. */
export function createWriteEntries({
  permissionStore,
  subjects,
  isAlive,
}: Deps & { isAlive: (subject: Subject) => Promise<boolean> }) {
  /** Those of the entries' subjects that were deleted, whatever was known of them. */
  async function goneAmong(entries: PermissionEntry[]): Promise<Map<string, Subject>> {
    const all = new Map(entries.map(({ _user }) => [subjectKey(_user), _user]));
    const suspects = await permissionStore.suspects([...all.values()]);
    const limit = pLimit(LOOKUPS_AT_ONCE);
    const exist = await limit.map(suspects, (subject) => subjects.exists(subject, { now: true }));
    return new Map(suspects.filter((_, index) => !exist[index]).map((subject) => [subjectKey(subject), subject]));
  }

  /** What may be written of the entries, written in one transaction. */
  async function writeAccepted(candidates: ValidEntry[], gone: Promise<Map<string, Subject>>, access: Access) {
    let deleted = new Map<string, Subject>();
    const written = await permissionStore.change(
      async (changes) => {
        const stored = await changes.replacedBy(candidates.map(({ entry }) => entry));
        const takingAway = createTakingAway(changes, stored, { access, isAlive });
        const criteriaCount = createCriteriaCount(changes, stored);
        const accepted: ValidEntry[] = [];
        const refused: RefusedEntry[] = [];
        for (const candidate of candidates) {
          const { entry, raw, _index } = candidate;
          try {
            if ((await gone).has(subjectKey(entry._user))) throw errors.unknownSubject();
            await criteriaCount.add(entry);
            await takingAway.replace(entry);
            accepted.push(candidate);
          } catch (error) {
            refused.push(refusalOf(raw, _index, error));
          }
        }
        const entries = accepted.map(({ entry }) => entry);
        const success = accepted.length > 0 ? await changes.put(entries, stored, access.principal.id) : [];
        return { accepted, success, refused };
      },
      async ({ success }) => void (deleted = await goneAmong(success)),
    );
    return { ...written, deleted };
  }

  /**
   * Writes what may be written. A subject that is deleted meanwhile holds nothing afterwards: either this sees the mark of its
   * deletion after the commit, or the deletion, which sets the mark first, removes what was written.
   */
  return async (candidates: ValidEntry[], access: Access) => {
    const gone = goneAmong(candidates.map(({ entry }) => entry));
    // Awaited in the transaction, so that it takes no time of its own.
    gone.catch(() => undefined);
    const { accepted, success, refused, deleted } = await writeAccepted(candidates, gone, access);
    for (const subject of deleted.values()) await removeHeldBy(permissionStore, subject);
    const isLate = ({ _user }: PermissionEntry) => deleted.has(subjectKey(_user));
    const late = accepted.filter(({ entry }) => isLate(entry));
    return {
      success: success.filter((written) => !isLate(written)),
      refused: [...refused, ...late.map(({ raw, _index }) => refusalOf(raw, _index, errors.unknownSubject()))],
    };
  };
}

/** @throws the error itself unless it is a refusal */
export function refusalOf(raw: unknown, _index: number, error: unknown): RefusedEntry {
  if (!isRefusal(error)) throw error;
  const entry = typeof raw === 'object' && raw !== null ? raw : {};
  return { ...entry, _index, code: error.code, message: error.message };
}

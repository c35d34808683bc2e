import { z } from 'zod';
import pLimit from 'p-limit';
import { PermissionEntry, ResourceDesc } from '@dtplatform/contracts';
import type { Criteria, Subject } from '@dtplatform/contracts';
import { isRejection } from '@dtplatform/errors';
import type { Access, PermissionFailure } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import type { PermissionChanges } from './permission-changes.store.js';
import { recordKey } from './permission.js';
import type { PermissionStore } from './permissions.store.js';
import type { Subjects } from './subjects.client.js';
import { createTakingAway, removeHeldBy } from './taking-away.js';

/** Bounded, because each decision and each list of items checks all of them. */
const MAX_WITH_CRITERIA = 100;

/**
 * Bounds the number of a subject's records with criteria in a namespace. Counts the earlier entries of the write.
 * @param stored the records that the write replaces
 */
function createCriteriaCount(changes: PermissionChanges, stored: PermissionEntry[]) {
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

const { _criteria, _subresourceDesc } = ResourceDesc.shape;
const SentDesc = ResourceDesc.extend({
  _criteria: _criteria.nullable().describe('The criteria for named items; null means none.'),
  _subresourceDesc: _subresourceDesc
    .nullable()
    .describe('Limits the permission to related items of these items; null means no limit.'),
}).meta({ id: 'SentResourceDesc', description: 'The resources that a permission is for.' });

/** The body of an entry, for the reference. */
export const ShownEntry = PermissionEntry.extend({ _resourceDesc: SentDesc }).meta({
  id: 'SentPermission',
  description: 'A permission to grant; it replaces the one with the same namespace, subject and resources.',
});

/** An entry of a write, as callers send it. */
export const SentEntry = PermissionEntry.extend({
  _resourceDesc: SentDesc.refine(isOfItems, 'criteria are only allowed for itemsvc:nameduseritem').transform(inOrder),
  // They would be ignored here, and the permission would cover more than intended.
  _criteria: z.never('belongs in _resourceDesc').optional(),
  _subresourceDesc: z.never('belongs in _resourceDesc').optional(),
});

interface Desc {
  _irn: string;
  _criteria?: Criteria | null | undefined;
  _subresourceDesc?: { _type: 'relateditem'; _criteria?: Criteria | undefined } | null | undefined;
}

function isOfItems({ _irn, _criteria, _subresourceDesc }: Desc): boolean {
  const [service, type] = _irn.split(':');
  return (!_criteria && !_subresourceDesc) || (/^(itemsvc|\*)$/.test(service!) && /^(nameduseritem|\*)$/.test(type!));
}

/** Criteria in any field order are the same record. */
function inOrder({ _irn, _criteria, _subresourceDesc }: Desc): ResourceDesc {
  return {
    _irn,
    ...(_criteria && { _criteria: sorted(_criteria) }),
    ...(_subresourceDesc && {
      _subresourceDesc: { _type: _subresourceDesc._type, _criteria: sorted(_subresourceDesc._criteria ?? {}) },
    }),
  };
}

const sorted = (criteria: Criteria) =>
  Object.fromEntries(Object.entries(criteria).sort(([one], [other]) => (one < other ? -1 : 1)));

/** A rejected entry of a write: its position, the reason, and the rest of the caller's input. */
export type RejectedEntry = z.infer<typeof PermissionFailure>;

/** Concurrent calls. */
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

/** Whether a subject exists now. A group also needs members, because otherwise nobody has its permissions. */
export const createLiveness =
  ({ permissionStore, subjects }: Deps) =>
  (subject: Subject): Promise<boolean> =>
    subject._type === 'usergroup' ? permissionStore.hasMembers(subject._id) : subjects.exists(subject, { now: true });

/** Writes the permitted entries and reports the others. */
export function createWriteEntries({
  permissionStore,
  subjects,
  isAlive,
}: Deps & { isAlive: (subject: Subject) => Promise<boolean> }) {
  /** The deleted subjects among the entries', ignoring caches. */
  async function goneAmong(entries: PermissionEntry[]): Promise<Map<string, Subject>> {
    const all = new Map(entries.map(({ _user }) => [subjectKey(_user), _user]));
    const suspects = await permissionStore.suspects([...all.values()]);
    const limit = pLimit(LOOKUPS_AT_ONCE);
    const exist = await limit.map(suspects, (subject) => subjects.exists(subject, { now: true }));
    return new Map(suspects.filter((_, index) => !exist[index]).map((subject) => [subjectKey(subject), subject]));
  }

  /** Writes the permitted entries in one transaction. */
  async function writeAccepted(candidates: ValidEntry[], gone: Promise<Map<string, Subject>>, access: Access) {
    let deleted = new Map<string, Subject>();
    const written = await permissionStore.change(
      async (changes) => {
        const stored = await changes.replacedBy(candidates.map(({ entry }) => entry));
        const takingAway = createTakingAway(changes, stored, { access, isAlive });
        const criteriaCount = createCriteriaCount(changes, stored);
        const accepted: ValidEntry[] = [];
        const rejected: RejectedEntry[] = [];
        for (const candidate of candidates) {
          const { entry, raw, _index } = candidate;
          try {
            if ((await gone).has(subjectKey(entry._user))) throw errors.unknownSubject();
            await criteriaCount.add(entry);
            await takingAway.replace(entry);
            accepted.push(candidate);
          } catch (error) {
            rejected.push(rejectionOf(raw, _index, error));
          }
        }
        const entries = accepted.map(({ entry }) => entry);
        const success = accepted.length > 0 ? await changes.put(entries, stored, access.principal.id) : [];
        return { accepted, success, refused: rejected };
      },
      async ({ success }) => void (deleted = await goneAmong(success)),
    );
    return { ...written, deleted };
  }

  /**
   * Writes the permitted entries. A subject that is deleted concurrently ends up without permissions: either this sees
   * the mark of its deletion after the commit, or the deletion, which sets the mark first, removes what was written.
   */
  return async (candidates: ValidEntry[], access: Access) => {
    const gone = goneAmong(candidates.map(({ entry }) => entry));
    // Awaited in the transaction, so that it adds no latency.
    gone.catch(() => undefined);
    const { accepted, success, refused, deleted } = await writeAccepted(candidates, gone, access);
    for (const subject of deleted.values()) await removeHeldBy(permissionStore, subject);
    const isLate = ({ _user }: PermissionEntry) => deleted.has(subjectKey(_user));
    const late = accepted.filter(({ entry }) => isLate(entry));
    return {
      success: success.filter((written) => !isLate(written)),
      refused: [...refused, ...late.map(({ raw, _index }) => rejectionOf(raw, _index, errors.unknownSubject()))],
    };
  };
}

/** @throws the error itself unless it is a rejection */
export function rejectionOf(raw: unknown, _index: number, error: unknown): RejectedEntry {
  if (!isRejection(error)) throw error;
  const entry = typeof raw === 'object' && raw !== null ? raw : {};
  return { ...entry, _index, code: error.code, message: error.message };
}

import type { GroupMembers, Subject } from '@dtplatform/contracts';
import { defineModel, exists, id, number, oneOf, text } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';

/** The fields of a user group of passportsvc that permissions use. */
export interface StoredGroup {
  _id: string;
  /** Revision of the group in passportsvc. Earlier revisions are not stored. */
  revision: number;
  memberIds: string[];
  /** Set when the group was deleted. The record then only rejects late states. */
  deletedAt?: Date;
}

const ONE_DAY_SEC = 24 * 60 * 60;

export const groupModel = defineModel<StoredGroup>(
  'usergroups',
  { _id: id, revision: number, memberIds: [text], deletedAt: Date },
  {
    indexes: [
      { key: { memberIds: 1 }, name: 'members' },
      { key: { deletedAt: 1 }, name: 'expiry', expireAfterSeconds: ONE_DAY_SEC },
    ],
  },
);

/** Group membership, copied from passportsvc (docs/adr/0006-groups-and-deleted-subjects.md). */
export function createGroups(mongo: Mongo) {
  const groups = mongo.model(groupModel);

  return {
    exists: async (id: string) => (await groups.exists({ _id: id, deletedAt: null })) !== null,
    hasMembers: async (id: string) =>
      (await groups.exists({ _id: id, deletedAt: null, 'memberIds.0': exists() })) !== null,
    /** Ids of the groups of a subject. */
    async of({ _type, _id }: Subject): Promise<string[]> {
      if (_type !== 'user') return [];
      return (await groups.find({ memberIds: _id }, { _id: 1 }).lean()).map((group) => group._id);
    },
    /** The members of each group among the subjects. */
    async *membersOf(subjects: Subject[], session?: ClientSession): AsyncGenerator<Subject[]> {
      const ids = [...new Set(subjects.filter(({ _type }) => _type === 'usergroup').map(({ _id }) => _id))];
      if (ids.length === 0) return;
      const found = groups.find({ _id: oneOf(ids) }, { memberIds: 1 }, { session, lean: true });
      for await (const { memberIds } of found.cursor()) yield usersOf(memberIds);
    },
    /**
     * Stores a state unless it is older than the stored one. @returns who joined or left; undefined if it was not
     * stored
     */
    async replace(id: string, state: GroupMembers, session: ClientSession): Promise<Subject[] | undefined> {
      const before = await groups.findById(id, null, { session, lean: true });
      if (before && before.revision >= state._revision) return undefined;
      const memberIds = [...new Set(state._memberIds)];
      const next = { revision: state._revision, memberIds, ...(state._deleted && { deletedAt: new Date() }) };
      await groups.replaceOne({ _id: id }, { _id: id, ...next }, { session, upsert: true });
      const old = before?.memberIds ?? [];
      return usersOf([...missingIn(memberIds, old), ...missingIn(old, memberIds)]);
    },
  };
}

const missingIn = (ids: string[], others: string[]): string[] => {
  const known = new Set(ids);
  return others.filter((id) => !known.has(id));
};

const usersOf = (ids: string[]): Subject[] => ids.map((_id) => ({ _type: 'user', _id }));

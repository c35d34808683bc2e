import { permissionProfileIrn } from '@dtplatform/contracts';
import type { GroupMembers, PermissionEntry, Subject } from '@dtplatform/contracts';
import { raiseEpochs } from '@dtplatform/permissions';
import type { GrantSource } from '@dtplatform/permissions';
import type { RedisConnection } from '@dtplatform/redis';

type Actions = PermissionEntry['_actions'];

export interface GrantTable extends GrantSource {
  allow(subject: Subject | string, namespace: string, irn: string, actions: Actions): Promise<void>;
  /** Removes all grants of a subject in a namespace. */
  revoke(subject: Subject | string, namespace: string): Promise<void>;
}

/**
 * A fake of objectmodelsvc for tests of other services: grants and group members in memory. A plain string is a user's
 * id.
 */
export function createGrantTable(redis: RedisConnection): GrantTable {
  let rows: PermissionEntry[] = [];
  const groups = new Map<string, GroupMembers>();
  const isMember = (groupId: string, { _type, _id }: Subject) =>
    _type === 'user' && (groups.get(groupId)?._memberIds.includes(_id) ?? false);
  const isOf = ({ _user }: PermissionEntry, { _type, _id }: Subject) => _user._type === _type && _user._id === _id;
  const holds = (subject: Subject) => (row: PermissionEntry) =>
    isOf(row, subject) || (row._user._type === 'usergroup' && isMember(row._user._id, subject));

  async function removeHeldBy(subject: Subject): Promise<void> {
    rows = rows.filter((row) => !isOf(row, subject));
    await raiseEpochs(redis, [subject]);
  }

  return {
    grantsOf: async (subject, namespace) =>
      rows
        .filter((row) => holds(subject)(row) && row._namespace === namespace)
        .map(({ _resourceDesc, _actions }) => ({ ..._resourceDesc, _actions })),
    namespacesOf: async (subject) => [...new Set(rows.filter(holds(subject)).map(({ _namespace }) => _namespace))],
    async close(namespaces) {
      const ended = rows.filter(({ _namespace }) => namespaces.includes(_namespace));
      rows = rows.filter(({ _namespace }) => !namespaces.includes(_namespace));
      await raiseEpochs(
        redis,
        ended.map(({ _user }) => _user),
      );
    },
    async grant(entries) {
      rows.push(...entries);
      await raiseEpochs(
        redis,
        entries.map(({ _user }) => _user),
      );
    },
    removeUser: (id) => removeHeldBy(subjectFrom(id)),
    removeApp: (_id) => removeHeldBy({ _type: 'app', _id }),
    async removeProfile(id, namespaces) {
      const profile: Subject = { _type: 'permprofile', _id: id };
      const isOnIt = ({ _namespace, _resourceDesc }: PermissionEntry) =>
        namespaces.includes(_namespace) && _resourceDesc._irn === permissionProfileIrn(id);
      const removed = rows.filter((row) => isOf(row, profile) || isOnIt(row));
      rows = rows.filter((row) => !removed.includes(row));
      await raiseEpochs(
        redis,
        removed.map(({ _user }) => _user),
      );
    },
    async putGroup(id, members) {
      const before = groups.get(id);
      if (before && before._revision >= members._revision) return;
      groups.set(id, members);
      if (members._deleted) rows = rows.filter(({ _user }) => !(_user._type === 'usergroup' && _user._id === id));
      const ids = [...(before?._memberIds ?? []), ...members._memberIds];
      await raiseEpochs(
        redis,
        ids.map((_id) => ({ _type: 'user', _id })),
      );
    },
    async allow(subject, _namespace, _irn, _actions) {
      rows.push({ _namespace, _resourceDesc: { _irn }, _user: subjectFrom(subject), _actions });
      await raiseEpochs(redis, [subjectFrom(subject)]);
    },
    async revoke(subject, namespace) {
      const user = subjectFrom(subject);
      rows = rows.filter((row) => !(isOf(row, user) && row._namespace === namespace));
      await raiseEpochs(redis, [user]);
    },
  };
}

const subjectFrom = (subject: Subject | string): Subject =>
  typeof subject === 'string' ? { _type: 'user', _id: subject } : subject;

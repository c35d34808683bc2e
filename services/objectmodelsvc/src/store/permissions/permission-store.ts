import escapeStringRegexp from 'escape-string-regexp';
import type { Redis } from 'ioredis';
import { MAX_PERMISSION_ENTRIES } from '@dtplatform/contracts';
import type { PermissionEntry, Subject } from '@dtplatform/contracts';
import { deleteIfMatch, listPage, newId, trusted } from '@dtplatform/mongo';
import type { ClientSession, Filter, Model, Mongo } from '@dtplatform/mongo';
import { raiseEpochs } from '@dtplatform/permissions';
import { coveringPatterns, recordKey } from '../../domain/permissions/permission.js';
import type { PermissionChanges, PermissionQuery, PermissionStore } from '../../domain/permissions/ports.js';
import { createClosedNamespaces } from './closed-namespaces.js';
import { createGroups } from './groups.js';
import { namespaceOwnersModel } from './namespace-owners.model.js';
import type { Permission } from '../../domain/permissions/permission.js';
import { permissionModel } from './permission.model.js';

/**
 * Permissions in MongoDB. Every write changes the epochs of its users in Redis before it returns; the users of a permission of
 * a group are its members.
 */
export function createPermissionStore(mongo: Mongo, redis: Redis): PermissionStore {
  const permissions = mongo.model(permissionModel);
  const namespaceOwners = mongo.model(namespaceOwnersModel);
  const groups = createGroups(mongo);

  const changesIn = (session: ClientSession, written: (entries: PermissionEntry[]) => void): PermissionChanges => ({
    replacedBy: (entries) => permissions.find({ $or: entries.map(identityOf) }, null, { session, lean: true }),
    find: async (id) => (await permissions.findById(id, null, { session, lean: true })) ?? undefined,
    async owners(namespace) {
      // Transactions that write the same document do not run at the same time.
      await namespaceOwners.updateOne({ _id: namespace }, {}, { session, upsert: true });
      const filter: Filter = { _namespace: namespace, '_resourceDesc._irn': '*:*:*', _actions: '*' };
      return permissions.find(filter, null, { session, lean: true, limit: MAX_PERMISSION_ENTRIES + 1 });
    },
    async put(entries, byId) {
      written(entries);
      const upserts = entries.map((entry) => upsertOf(entry, byId));
      const { upsertedIds } = await permissions.bulkWrite(upserts, { session });
      const stored = await permissions.find({ $or: entries.map(identityOf) }, null, { session, lean: true });
      const byKey = new Map(stored.map((permission) => [recordKey(permission), permission]));
      return entries.map((entry, index) => {
        // Of several entries for the same record, each reply shows its own actions.
        return { ...byKey.get(recordKey(entry))!, _actions: distinctActions(entry), isNew: index in upsertedIds };
      });
    },
    remove(permission, precondition) {
      written([permission]);
      return deleteIfMatch(permissions, permission._id, { precondition, session });
    },
  });

  async function changeEpochs(subjects: Subject[], session?: ClientSession): Promise<void> {
    await raiseEpochs(redis, subjects);
    for await (const members of groups.membersOf(subjects, session)) await raiseEpochs(redis, members);
  }

  /**
   * Changes the epochs of the subjects that the work reports as written, twice. Inside the transaction: if Redis is unavailable,
   * nothing is written and the caller gets a 503. After it: a reader that loaded the old grants under the first new epoch must
   * load them again, and so must a user who joined a group in between.
   */
  async function transaction<T>(work: (session: ClientSession, written: Written) => Promise<T>): Promise<T> {
    let subjects: Subject[] = [];
    const result = await mongo.transaction(async (session) => {
      subjects = [];
      const done = await work(session, (more) => void subjects.push(...more));
      await changeEpochs(subjects, session);
      return done;
    });
    await changeEpochs(subjects);
    return result;
  }

  const change = <T>(work: (changes: PermissionChanges) => Promise<T>): Promise<T> =>
    transaction((session, written) =>
      work(changesIn(session, (entries) => written(entries.map(({ _user }) => _user)))),
    );

  /** The records of a subject and of its groups. */
  async function heldBy(subject: Subject): Promise<Filter> {
    const ids = await groups.of(subject);
    const ofGroups = { '_user._type': 'usergroup', '_user._id': trusted({ $in: ids }) };
    return ids.length === 0 ? ofUser(subject) : { $or: [ofUser(subject), ofGroups] };
  }

  const closed = createClosedNamespaces(mongo, (subjects) => changeEpochs(subjects));

  return {
    change,
    grant: async (entries) => void (await change((changes) => changes.put(entries, 'platform'))),
    find: async (id) => (await permissions.findById(id).lean()) ?? undefined,
    list: (query, paging) => listPage(permissions, filterOf(query), { paging }),
    async grantsOf(subject, namespace) {
      const projection = { _id: 0, _actions: 1, _resourceDesc: 1 } as const;
      const filter = { _namespace: namespace, ...WITHOUT_CRITERIA, ...(await heldBy(subject)) };
      const [records, isClosed] = await Promise.all([
        permissions.find(filter, projection).lean(),
        closed.has(namespace),
      ]);
      if (isClosed) return [];
      return records.map(({ _resourceDesc, _actions }) => ({ _irn: _resourceDesc._irn, _actions }));
    },
    namespacesOf: async (subject) => closed.without(await permissions.distinct('_namespace', await heldBy(subject))),
    close: (namespaces) => closed.close(namespaces),
    hasGroup: groups.exists,
    putGroup: (id, state) =>
      transaction(async (session, written) => {
        const moved = await groups.replace(id, state, session);
        if (!moved) return;
        written(moved);
        if (state._deleted) written(await removeGroup(permissions, id, state._namespaces, session));
      }),
  };
}

/** Notes subjects whose permissions the work of a transaction has changed. */
type Written = (subjects: Subject[]) => void;

async function removeGroup(
  permissions: Model<Permission>,
  id: string,
  namespaces: string[],
  session: ClientSession,
): Promise<Subject[]> {
  const filter = ofGroup(id, namespaces);
  const removed = await permissions.find(filter, { _user: 1 }, { session, lean: true });
  await permissions.deleteMany(filter, { session });
  return removed.map(({ _user }) => _user);
}

/** What a group holds, and what anybody holds on it. An owner of a namespace stays as a record (`owners`). */
function ofGroup(id: string, namespaces: string[]): Filter {
  const held = { '_user._type': 'usergroup', '_user._id': id };
  const onIt = { _namespace: trusted({ $in: namespaces }), '_resourceDesc._irn': `passportsvc:usergroup:${id}` };
  return { $or: [held, onIt], $nor: [{ '_resourceDesc._irn': '*:*:*', _actions: '*' }] };
}

/** Another version may have stored criteria. This one cannot evaluate them, so such a permission grants nothing. */
const WITHOUT_CRITERIA: Filter = { '_resourceDesc._criteria': null, '_resourceDesc._subresourceDesc': null };

const distinctActions = ({ _actions }: PermissionEntry) => [...new Set(_actions)];

/** A bulk write does not raise revisions by itself. */
function upsertOf(entry: PermissionEntry, byId: string) {
  const now = Date.now();
  const update = {
    $set: { _actions: distinctActions(entry), '_metadata._updatedAt': now, '_metadata._updatedById': byId },
    $setOnInsert: { _id: newId(), '_metadata._createdAt': now, '_metadata._createdById': byId },
    $inc: { _revision: 1 },
  };
  return { updateOne: { filter: identityOf(entry), update, upsert: true } };
}

const identityOf = ({ _namespace, _user, _resourceDesc }: PermissionEntry): Filter => ({
  ...ofUser(_user, _namespace),
  '_resourceDesc._irn': _resourceDesc._irn,
});

const ofUser = ({ _type, _id }: Subject, namespace?: string): Filter => ({
  ...(namespace === undefined ? {} : { _namespace: namespace }),
  '_user._type': _type,
  '_user._id': _id,
});

function filterOf({ namespace, irn, user, patternMatch }: PermissionQuery): Filter {
  const parts = irn.split(':').map((part) => (part === '*' ? '[^:]+' : escapeStringRegexp(part)));
  const matching = trusted({ $in: [...coveringPatterns(irn), new RegExp(`^${parts.join(':')}$`)] });
  return { ...ofUser(user, namespace), '_resourceDesc._irn': patternMatch ? matching : irn };
}

import escapeStringRegexp from 'escape-string-regexp';
import { accessKeys } from '@dtplatform/contracts';
import type { Grant, GroupMembers, Listing, Paging, PermissionEntry, Subject } from '@dtplatform/contracts';
import { listPage, oneOf } from '@dtplatform/mongo';
import type { ClientSession, Filter, Model, Mongo } from '@dtplatform/mongo';
import { raiseEpochs } from '@dtplatform/permissions';
import { readKeys } from '@dtplatform/redis';
import type { RedisConnection } from '@dtplatform/redis';
import { PLATFORM } from './audit.store.js';
import type { PermissionAudit } from './audit.store.js';
import { createClosedNamespaces } from './closed-namespaces.store.js';
import { createGroups } from './groups.store.js';
import { createPermissionChanges, ofUser, WHOLE } from './permission-changes.store.js';
import type { PermissionChanges } from './permission-changes.store.js';
import { coveringPatterns } from './permission.js';
import type { Holding, Permission, PermissionQuery } from './permission.js';
import { permissionModel } from './permission.model.js';

/**
 * Permissions in MongoDB. Every write changes the epochs of its users in Redis before it returns; those of a group's
 * permission are the group's members.
 */
export function createPermissionStore(mongo: Mongo, redis: RedisConnection, audit: PermissionAudit) {
  const permissions = mongo.model(permissionModel);
  const groups = createGroups(mongo);

  async function changeEpochs(subjects: Subject[], session?: ClientSession): Promise<void> {
    await raiseEpochs(redis, subjects);
    for await (const members of groups.membersOf(subjects, session)) await raiseEpochs(redis, members);
  }

  /**
   * Changes the epochs of the written subjects twice. Inside the transaction: if Redis is unavailable, nothing is
   * written and the caller gets a 503. After it: a reader may have loaded the old grants under the first new epoch, and
   * a user may have joined a group in between.
   */
  async function transaction<T>(
    work: (session: ClientSession, written: Written) => Promise<T>,
    afterCommit?: (result: T) => Promise<void>,
  ): Promise<T> {
    let subjects: Subject[] = [];
    const result = await mongo.transaction(async (session) => {
      subjects = [];
      const done = await work(session, (more) => void subjects.push(...more));
      await changeEpochs(subjects, session);
      return done;
    });
    await Promise.all([changeEpochs(subjects), afterCommit?.(result)]);
    return result;
  }

  /**
   * Runs `work` in one transaction. It may run several times, and must not run operations in parallel.
   * @param afterCommit runs in parallel with the other steps after the commit
   */
  const change = <T>(work: (changes: PermissionChanges) => Promise<T>, afterCommit?: (result: T) => Promise<void>) =>
    transaction(
      (session, written) =>
        work(
          createPermissionChanges({ mongo, audit }, session, (entries) => written(entries.map(({ _user }) => _user))),
        ),
      afterCommit,
    );

  /** The records of a subject and of its groups. */
  async function heldBy(subject: Subject): Promise<Filter> {
    const ids = await groups.of(subject);
    const ofGroups = { '_user._type': 'usergroup', '_user._id': oneOf(ids) };
    return ids.length === 0 ? ofUser(subject) : { $or: [ofUser(subject), ofGroups] };
  }

  const closed = createClosedNamespaces({ mongo, audit }, (subjects) => changeEpochs(subjects));

  return {
    change,
    grant: (entries: PermissionEntry[]): Promise<void> =>
      change(async (changes) => void (await changes.put(entries, await changes.replacedBy(entries), PLATFORM))),
    find: async (id: string): Promise<Permission | undefined> => (await permissions.findById(id).lean()) ?? undefined,
    list: (query: PermissionQuery, paging: Paging): Promise<Listing<Permission>> =>
      listPage(permissions, filterOf(query), { paging }),
    async grantsOf(subject: Subject, namespace: string): Promise<Grant[]> {
      const projection = { _id: 0, _actions: 1, _resourceDesc: 1 } as const;
      const filter = { _namespace: namespace, ...(await heldBy(subject)) };
      const [records, isClosed] = await Promise.all([
        permissions.find(filter, projection).lean(),
        closed.has(namespace),
      ]);
      if (isClosed) return [];
      return records.map(({ _resourceDesc, _actions }) => ({ ..._resourceDesc, _actions }));
    },
    /** A subject's records, including its groups', with one of the patterns in a namespace. */
    async heldOn(patterns: string[], subject: Subject, namespace: string): Promise<Permission[]> {
      if (await closed.has(namespace)) return [];
      const onThem = { _namespace: namespace, '_resourceDesc._irn': oneOf(patterns) };
      return permissions.find({ ...onThem, ...(await heldBy(subject)) }).lean();
    },
    /** Everybody's records on a resource pattern. */
    async heldByAnyone({ namespace, irn, scope }: Holding, paging: Paging): Promise<Listing<Permission>> {
      if (await closed.has(namespace)) return { list: [], total: 0 };
      const filter = { _namespace: namespace, '_resourceDesc._irn': IN_SCOPE[scope](irn) };
      // Patterns come before what they cover.
      return listPage(permissions, filter, { paging, sort: { '_resourceDesc._irn': 1, _id: 1 } });
    },
    namespacesOf: async (subject: Subject): Promise<string[]> =>
      closed.without(await permissions.distinct('_namespace', await heldBy(subject))),
    close: (namespaces: string[]): Promise<void> => closed.close(namespaces),
    hasGroup: groups.exists,
    hasMembers: groups.hasMembers,
    /** The subjects that may have been deleted in the last minute: groups, and those whose tokens are rejected. */
    suspects: (subjects: Subject[]): Promise<Subject[]> => suspectsAmong(subjects, redis),
    putGroup: (id: string, state: GroupMembers): Promise<void> =>
      transaction(async (session, written) => {
        const moved = await groups.replace(id, state, session);
        if (!moved) return;
        written(moved);
        if (!state._deleted) return;
        const ended = await removeGroup(permissions, id, state._namespaces, session);
        await audit.record({ _change: 'REVOKE', _byId: PLATFORM, entries: ended }, session);
        written(ended.map(({ _user }) => _user));
      }),
  };
}

export type PermissionStore = ReturnType<typeof createPermissionStore>;

const isGroup = ({ _type }: Subject) => _type === 'usergroup';
/** The mark that rejects a subject's tokens. Its deletion sets it before it responds. */
const markOf = ({ _type, _id }: Subject) => accessKeys.notBefore(_type === 'app' ? 'app' : 'subject', _id);

async function suspectsAmong(subjects: Subject[], redis: RedisConnection): Promise<Subject[]> {
  const ofGroups = subjects.filter(isGroup);
  const others = subjects.filter((subject) => !isGroup(subject));
  const marks = others.length > 0 ? await readKeys(redis.client, others.map(markOf)) : [];
  return [...ofGroups, ...others.filter((_, index) => marks[index] !== null)];
}

/** Reports subjects whose permissions a transaction has changed. */
type Written = (subjects: Subject[]) => void;

async function removeGroup(
  permissions: Model<Permission>,
  id: string,
  namespaces: string[],
  session: ClientSession,
): Promise<Permission[]> {
  const filter = ofGroup(id, namespaces);
  const removed = await permissions.find(filter, null, { session, lean: true });
  await permissions.deleteMany(filter, { session });
  return removed;
}

/** A group's permissions, and everybody's permissions on it. Owner records of namespaces stay (`owners`). */
function ofGroup(id: string, namespaces: string[]): Filter {
  const held = { '_user._type': 'usergroup', '_user._id': id };
  const onIt = { _namespace: oneOf(namespaces), '_resourceDesc._irn': `passportsvc:usergroup:${id}` };
  return { $or: [held, onIt], $nor: [{ '_resourceDesc._irn': '*:*:*', _actions: '*', ...WHOLE }] };
}

function filterOf({ namespace, irn, user, patternMatch }: PermissionQuery): Filter {
  return { ...ofUser(user, namespace), '_resourceDesc._irn': IN_SCOPE[patternMatch ? 'all' : 'exact'](irn) };
}

const IN_SCOPE: Record<Holding['scope'], (irn: string) => Filter[string]> = {
  covering: (irn) => oneOf(coveringPatterns(irn)),
  exact: (irn) => irn,
  all(irn) {
    const parts = irn.split(':').map((part) => (part === '*' ? '[^:]+' : escapeStringRegexp(part)));
    return oneOf([...coveringPatterns(irn), new RegExp(`^${parts.join(':')}$`)]);
  },
};

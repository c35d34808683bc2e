import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import { deleteIfMatch, isDuplicateKey, listPage, oneOf, updateIfMatch } from '@dtplatform/mongo';
import type { ClientSession, Filter, Mongo } from '@dtplatform/mongo';
import { newUserDeletion } from '../../directory/deletions/deletions.js';
import { deletionModel } from '../../directory/deletions/deletions.store.js';
import { errors } from '../../errors.js';
import type { Versions } from '../../oauth/token/versions.store.js';
import { createUserEvents } from '../deliveries/user-events.store.js';
import type { AccessEnding } from './access-endings.js';
import { accessEndingModel } from './access-endings.store.js';
import { createUserCounts } from './user-counts.store.js';
import { listUsers } from './user-list.store.js';
import { User } from './user.js';
import { userModel } from './user.model.js';
import type { UserQuery } from './users.js';

const OLDEST = { sort: { _id: 1 } } as const;
const FIXED = ['_id', '_orgId', '_admin', '_adminWrites', '_createdAt', '_revision'];

/** Read-only access to users by id. */
export function createUserSource(mongo: Mongo) {
  const users = mongo.model(userModel);
  return { find: async (id: string): Promise<User | undefined> => (await users.findById(id).lean()) ?? undefined };
}

export type UserSource = ReturnType<typeof createUserSource>;

export function createUserStore(mongo: Mongo, { change }: Pick<Versions, 'change'>) {
  const users = mongo.model(userModel);
  const endings = mongo.model(accessEndingModel);
  const deletions = mongo.model(deletionModel);
  const userCounts = createUserCounts(mongo);
  const userEvents = createUserEvents(mongo);
  const findOne = async (filter: Filter, options?: { sort: { _id: 1 } }) =>
    (await users.findOne(filter, null, options).lean()) ?? undefined;

  /**
   * Writes to another active administrator, so that of two concurrent calls about the last two only one succeeds.
   * @throws lastAdministrator
   */
  async function requireOtherAdministrator(id: string, session: ClientSession): Promise<void> {
    const others = { _id: { $ne: id }, _admin: true, active: true };
    const options = { session };
    const { matchedCount } = await mongo
      .collection(userModel)
      .updateOne(others, { $inc: { _adminWrites: 1 } }, options);
    if (matchedCount === 0) throw errors.lastAdministrator();
  }

  return {
    ...createUserSource(mongo),
    async findMany(ids: readonly string[]): Promise<User[]> {
      const paging = { offset: 0, pageSize: ids.length };
      return (await listPage(users, { _id: oneOf(ids) }, { paging })).list;
    },
    /** @param key see `comparableName` */
    findByUserName: (key: string): Promise<User | undefined> => findOne({ _userNameKey: key }),
    /**
     * The organization's user with this address; prefers a user name over other addresses. Addresses are not verified,
     * and may occur in other organizations, too.
     */
    findByEmail: async (_orgId: string, key: string): Promise<User | undefined> =>
      (await findOne({ _userNameKey: key, _orgId })) ?? (await findOne({ _emailKeys: key, _orgId }, OLDEST)),
    findAmong: (ids: readonly string[], emailKeys: readonly string[]): Promise<User[]> =>
      users.find({ _id: oneOf(ids), _emailKeys: oneOf(emailKeys) }).lean(),
    listAdministrators: (paging: Paging): Promise<Listing<User>> => listPage(users, { _admin: true }, { paging }),
    list: (query: UserQuery, paging: Paging): Promise<Listing<User>> => listUsers(users, userCounts, query, paging),
    /** @throws userNameTaken */
    async insert(user: User): Promise<void> {
      const written = mongo.transaction(async (session) => {
        await users.insertMany([user], { session });
        await userCounts.add(user._orgId, 1, session);
        await userEvents.record(session, { event: 'CREATE', userId: user._id });
      });
      await written.catch(rejectTakenName);
    },
    /**
     * Replaces a stored user; the same transaction records that its access must end.
     * @returns the user with its new revision; undefined when there is none
     * @throws preconditionFailed, userNameTaken, lastAdministrator
     */
    async replace(user: User, precondition: Precondition, ending?: AccessEnding): Promise<User | undefined> {
      const written = change('user', user._id, () =>
        mongo.transaction(async (session) => {
          const found = await updateIfMatch(users, user._id, changeTo(user), { precondition, session });
          if (found?._admin && !found.active) await requireOtherAdministrator(user._id, session);
          if (found && ending) await endings.insertMany([ending], { session });
          if (found) await userEvents.record(session, { event: 'UPDATE', userId: user._id });
          return found;
        }),
      );
      return written.catch(rejectTakenName);
    },
    /**
     * Gives a user the rights of an administrator, or takes them: then the same transaction records that its access must
     * end. @returns whether there is such a user
     * @throws lastAdministrator
     */
    setAdministrator: (id: string, _admin: boolean, ending?: AccessEnding): Promise<boolean> =>
      change('user', id, () =>
        mongo.transaction(async (session) => {
          const found = await updateIfMatch(users, id, { $set: { _admin } }, { precondition: undefined, session });
          if (found?.active && !_admin) await requireOtherAdministrator(id, session);
          if (found && ending) await endings.insertMany([ending], { session });
          return found !== undefined;
        }),
      ),
    /**
     * Removes a user; the same transaction records that its access and permissions must end.
     * @throws preconditionFailed, lastAdministrator
     */
    remove: (id: string, precondition: Precondition, ending: AccessEnding): Promise<boolean> =>
      change('user', id, () =>
        mongo.transaction(async (session) => {
          const removed = await deleteIfMatch(users, id, { precondition, session });
          if (!removed) return false;
          if (removed._admin && removed.active) await requireOtherAdministrator(id, session);
          await userCounts.add(removed._orgId, -1, session);
          await endings.insertMany([ending], { session });
          await deletions.insertMany([newUserDeletion(id)], { session });
          await userEvents.record(session, { event: 'DELETE', userId: id });
          return true;
        }),
      ),
  };
}

export type UserStore = ReturnType<typeof createUserStore>;

function rejectTakenName(error: unknown): never {
  throw isDuplicateKey(error) ? errors.userNameTaken({ cause: error }) : error;
}

function changeTo(user: User): { $set: Filter; $unset: Filter } {
  const fields = Object.keys(User.shape).filter((name) => !FIXED.includes(name));
  const values: Filter = user;
  return {
    $set: Object.fromEntries(fields.filter((name) => values[name] !== undefined).map((name) => [name, values[name]])),
    $unset: Object.fromEntries(fields.filter((name) => values[name] === undefined).map((name) => [name, 1])),
  };
}

import { isDeepStrictEqual } from 'node:util';
import { cutText, matchesPrecondition } from '@dtplatform/contracts';
import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import { AppError, commonErrors, describeIssue } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import type { Apps } from '../../directory/apps/apps.js';
import { newUserDeletion } from '../../directory/deletions/deletions.js';
import type { Deletions } from '../../directory/deletions/deletions.js';
import { errors } from '../../errors.js';
import type { AccessEndings } from './access-endings.js';
import type { AttributePath } from './attributes.js';
import { comparableName, comparableUser } from './comparable.js';
import type { ScimFilter } from './filter/filter.js';
import type { Passwords } from './passwords.js';
import { applyPatch } from './patch/apply-patch.js';
import type { PatchOperation } from './patch/apply-patch.js';
import { profileOf, SentUser } from './user.js';
import type { User } from './user.js';
import type { UserStore } from './users.store.js';

export interface UserQuery {
  /** Undefined for all organizations. */
  orgId?: string;
  filter?: ScimFilter;
  sort?: { path: AttributePath; descending: boolean };
  /** The URL below which responses locate users. */
  usersUrl: string;
}

/** Retries of a change without `If-Match` when others change the same user. */
const MAX_ATTEMPTS = 10;

interface Deps {
  userStore: UserStore;
  apps: Apps;
  passwords: Passwords;
  accessEndings: AccessEndings;
  deletions: Deletions;
  newId: () => string;
}

interface Change {
  access: Access;
  precondition: Precondition;
}

export type Users = ReturnType<typeof createUsers>;

export function createUsers({ userStore, apps, passwords, accessEndings, deletions, newId }: Deps) {
  /** @throws notFound when the user does not exist or is not in the organization of the caller's app */
  async function get(id: string, access: Access): Promise<User> {
    const user = await userStore.find(id);
    const orgId = await managedBy(access, apps);
    if (!user || (orgId !== undefined && orgId !== user._orgId)) throw commonErrors.notFound();
    return user;
  }

  /** @throws notFound, preconditionFailed, administratorOnly */
  async function getToChange(id: string, { access, precondition }: Change): Promise<User> {
    const user = await get(id, access);
    if (user._admin && access.principal.kind === 'app') throw errors.administratorOnly();
    if (!matchesPrecondition(user, precondition)) throw commonErrors.preconditionFailed();
    return user;
  }

  /**
   * Skips an unchanged user (RFC 7644, section 3.5.2.1). A new password ends the user's access, as on the account page.
   */
  async function write(user: User, sent: SentUser): Promise<User | undefined> {
    if (changesNothing(user, sent)) {
      // Repeats the ending: this call may be a retry after a 503.
      if (!user.active) await accessEndings.finish(accessEndings.newEnding(user._id));
      return user;
    }
    const next = await changedUser(user, sent, passwords);
    if (next.active && !user.active) await accessEndings.prepareReturn(user._id);
    const endsAccess = !next.active || sent.password !== undefined;
    const ending = endsAccess ? accessEndings.newEnding(user._id, { staysActive: next.active }) : undefined;
    const written = await userStore.replace(next, [user._revision], ending);
    if (written && ending) await accessEndings.finish(ending);
    return written;
  }

  /** @param make the new state; runs again after a concurrent change */
  async function change(id: string, how: Change, make: (user: User) => SentUser): Promise<User> {
    for (let attempt = 1; ; attempt++) {
      const user = await getToChange(id, how);
      try {
        const written = await write(user, make(user));
        if (!written) throw commonErrors.notFound();
        return written;
      } catch (error) {
        if (!isPreconditionFailed(error) || how.precondition !== undefined || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  return {
    /** Creates a user in the organization of the caller's app. @throws userNameTaken */
    async create({ active = true, ...wanted }: SentUser, access: Access): Promise<User> {
      const _orgId = await apps.organizationOf(access);
      const user = await newUser({ _id: newId(), _orgId, active, ...wanted }, passwords);
      await userStore.insert(user);
      return user;
    },
    get,
    /** A user whom the caller may change. @throws notFound, administratorOnly */
    getManaged: (id: string, access: Access): Promise<User> => getToChange(id, { access, precondition: undefined }),
    /** The users that the caller manages. @throws queryTooSlow */
    list: async (query: UserQuery, paging: Paging, access: Access): Promise<Listing<User>> =>
      userStore.list({ ...query, orgId: await managedBy(access, apps) }, paging),
    /** @throws notFound, preconditionFailed, userNameTaken, administratorOnly */
    replace: (id: string, sent: SentUser, how: Change): Promise<User> => change(id, how, () => sent),
    /** All or nothing. @throws those of `replace` and `applyPatch` */
    patch: (id: string, operations: readonly PatchOperation[], how: Change): Promise<User> =>
      change(id, how, (user) => validated(applyPatch(profileOf(user), operations))),
    /** Deletes a user and ends its access. @throws notFound, preconditionFailed, administratorOnly */
    async remove(id: string, how: Change): Promise<void> {
      const { _id } = await getToChange(id, how);
      const ending = accessEndings.newEnding(_id, { isDeleted: true });
      if (!(await userStore.remove(_id, how.precondition, ending))) throw commonErrors.notFound();
      await accessEndings.finish(ending);
      // The user is gone in any case; the sweep retries while objectmodelsvc is unavailable.
      await deletions.finish(newUserDeletion(_id)).catch(() => undefined);
    },
  };
}

const PRECONDITION_FAILED = commonErrors.preconditionFailed().code;
const isPreconditionFailed = (error: unknown) => error instanceof AppError && error.code === PRECONDITION_FAILED;

const managedBy = async (access: Access, apps: Apps): Promise<string | undefined> =>
  access.principal.kind === 'app' ? apps.organizationOf(access) : undefined;

/** @throws invalidValue that names each attribute */
function validated(profile: unknown): SentUser {
  const parsed = SentUser.safeParse(profile, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues
    .slice(0, 20)
    .map(({ path, message }) => ({ location: cutText(path.map(String).join('.'), 200), message }));
  throw errors.invalidValue({ details });
}

type NewUser = SentUser & { _id: string; _orgId: string; active: boolean; _admin?: boolean };

export async function newUser({ password, ...user }: NewUser, passwords: Passwords): Promise<User> {
  const now = Date.now();
  return {
    _admin: false,
    ...user,
    ...derivedFrom(user),
    _passwordHash: password === undefined ? undefined : await passwords.hash(password),
    _createdAt: now,
    _updatedAt: now,
    _revision: 0,
  };
}

const changesNothing = (user: User, { password, ...sent }: SentUser): boolean =>
  password === undefined && isDeepStrictEqual(profileOf(user), { active: user.active, ...sent });

async function changedUser(user: User, { password, ...sent }: SentUser, passwords: Passwords): Promise<User> {
  const { _id, _orgId, _admin, _createdAt, _revision, active } = user;
  const profile = { active, ...sent };
  return {
    _id,
    _orgId,
    _admin,
    _createdAt,
    _revision,
    ...profile,
    ...derivedFrom(profile),
    _passwordHash: password === undefined ? user._passwordHash : await passwords.hash(password),
    _updatedAt: Date.now(),
  };
}

function derivedFrom(user: Pick<User, 'userName' | 'emails'>): Pick<User, '_userNameKey' | '_emailKeys' | '_search'> {
  const addresses = [user.userName, ...(user.emails ?? []).map(({ value }) => value)];
  return {
    _userNameKey: comparableName(user.userName),
    _emailKeys: [...new Set(addresses.map(comparableName))],
    _search: comparableUser(user),
  };
}

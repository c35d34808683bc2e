import { endAccessAround } from '../../oauth/account/account.js';
import type { EndAccess } from '../../oauth/account/account.js';
import type { AccountStore } from '../../oauth/account/account.store.js';
import type { DerivedKeys } from '../../oauth/keys/keyring.js';
import type { Passwords } from '../../scim/users/passwords.js';
import { isLongEnough, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../scim/users/user.js';
import type { User } from '../../scim/users/user.js';
import type { App } from '../apps/app.js';
import { hashSecret, newSecret } from '../apps/new-app.js';
import type { Organization } from '../organizations/organizations.js';
import type { AdministrationStore } from './administration.store.js';

/** Why a command failed, worded for the operator. */
export class Rejection extends Error {
  constructor(
    readonly reason: 'failed' | 'usage' | 'not-found' | 'refused',
    message: string,
  ) {
    super(message);
    this.name = 'Refusal';
  }
}

export type ListedUser = Pick<User, '_id' | '_orgId' | 'userName' | 'active' | '_admin'>;
export type ListedApp = Pick<App, '_id' | '_orgId' | '_name' | '_trusted' | '_accessTokenTtlSec'>;
export type ListedOrganization = Pick<Organization, '_id' | '_name'>;

export interface ListOptions {
  orgId?: string;
  limit: number;
}

interface Deps {
  store: AdministrationStore;
  accountStore: Pick<AccountStore, 'setPassword'>;
  passwords: Pick<Passwords, 'hash'>;
  keys: () => Promise<DerivedKeys>;
  endAccess: EndAccess;
  /** Rejects all access tokens issued so far to the app and its users. */
  refuseTokens: (app: ListedApp) => Promise<void>;
  newId: () => string;
  serviceClientId: string | undefined;
}

const NAME_LENGTH = 128;
const ORGANIZATION_ID = /^[A-Za-z0-9._~-]{1,64}$/;

export type Administration = ReturnType<typeof createAdministration>;

/** Administration by operators. Does not check permissions: anyone with the keys may do everything. */
export function createAdministration(deps: Deps) {
  const { store, accountStore, passwords, keys, endAccess, refuseTokens, newId, serviceClientId } = deps;

  async function userOf(nameOrId: string): Promise<ListedUser> {
    const user = await store.findUser(nameOrId);
    if (!user) throw noUser(nameOrId);
    return user;
  }

  async function appOf(id: string): Promise<ListedApp> {
    const app = await store.findApp(id);
    if (!app) throw noApp(id);
    return app;
  }

  return {
    /**
     * Sets a password and revokes all access obtained with the old one.
     * @param given generated if undefined @returns the password if it was generated
     */
    async resetPassword(nameOrId: string, given?: string): Promise<{ user: ListedUser; password?: string }> {
      const user = await userOf(nameOrId);
      if (given !== undefined) checkPassword(given);
      const password = given ?? newSecret();
      const hash = await passwords.hash(password);
      const isSet = await endAccessAround(
        () => accountStore.setPassword(user._id, hash),
        () => endAccess(user._id),
      );
      if (!isSet) throw noUser(nameOrId);
      return { user, ...(given === undefined && { password }) };
    },

    /** Replaces the secret of an app. @param options.endTokens also rejects access tokens of the app and its users */
    async replaceSecret(id: string, { endTokens = false } = {}): Promise<{ app: ListedApp; secret: string }> {
      const app = await appOf(id);
      if (id === serviceClientId) {
        throw new Rejection(
          'refused',
          `The secret of ${id} is SERVICE_CLIENT_SECRET: change this setting, then run the migration.`,
        );
      }
      const secret = newSecret();
      const { appSecrets } = await keys();
      if (endTokens) await refuseTokens(app);
      if (!(await store.setSecretHash(id, hashSecret(secret, appSecrets)))) throw noApp(id);
      if (endTokens) await refuseTokens(app);
      return { app, secret };
    },

    /** Rejects the tokens of an app that loses its trust, because they claim it. */
    async setTrusted(id: string, trusted: boolean): Promise<ListedApp> {
      const app = await appOf(id);
      if (id === serviceClientId && !trusted) {
        throw new Rejection('refused', `The services call each other as ${id}: it must stay trusted.`);
      }
      if (!trusted) await refuseTokens(app);
      if (!(await store.setTrusted(id, trusted))) throw noApp(id);
      if (!trusted) await refuseTokens(app);
      return { ...app, _trusted: trusted };
    },

    async createOrganization(name: string, id = newId()): Promise<ListedOrganization> {
      const _name = name.trim();
      if (_name === '' || _name.length > NAME_LENGTH) {
        throw new Rejection('usage', `The name must have 1 to ${NAME_LENGTH} characters.`);
      }
      if (!ORGANIZATION_ID.test(id)) throw new Rejection('usage', 'The id must be 1 to 64 letters, digits or . _ ~ -');
      const now = Date.now();
      const isNew = await store.addOrganization({ _id: id, _name, _metadata: { _createdAt: now, _updatedAt: now } });
      if (!isNew) throw new Rejection('refused', `The organization ${id} already exists.`);
      return { _id: id, _name };
    },

    listUsers: (options: Parameters<AdministrationStore['listUsers']>[0]) => store.listUsers(options),
    listApps: (options: ListOptions) => store.listApps(options),
    listOrganizations: (options: Pick<ListOptions, 'limit'>) => store.listOrganizations(options),
  };
}

const noUser = (nameOrId: string) => new Rejection('not-found', `There is no user ${nameOrId}.`);
const noApp = (id: string) => new Rejection('not-found', `There is no application ${id}.`);

function checkPassword(password: string): void {
  if (isLongEnough(password) && password.length <= MAX_PASSWORD_LENGTH) return;
  throw new Rejection('usage', `The password must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters.`);
}

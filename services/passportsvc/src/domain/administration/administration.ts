import { hashSecret, newSecret } from '../apps/app-secret.js';
import type { DerivedKeys } from '../keys/derived-keys.js';
import type { Passwords } from '../scim/passwords.js';
import type { AdministrationStore, ListedApp, ListedOrganization, ListedUser, ListOptions } from './ports.js';
import { Refusal } from './refusal.js';

interface Deps {
  store: AdministrationStore;
  passwords: Passwords;
  keys: () => Promise<DerivedKeys>;
  /** Refuses all access tokens of a user, or of an app and of its users, that were issued until now. */
  refuseTokens: (kind: 'subject' | 'app', id: string) => Promise<void>;
  newId: () => string;
  /** The app whose secret is a setting of all services. */
  serviceClientId: string | undefined;
}

const PASSWORD_LENGTH = { min: 8, max: 1024 };
const NAME_LENGTH = 128;
const ORGANIZATION_ID = /^[A-Za-z0-9._~-]{1,64}$/;

export type Administration = ReturnType<typeof createAdministration>;

/** What an operator with access to the installation may do. The caller is not checked: who has the keys may do all of it. */
export function createAdministration({ store, passwords, keys, refuseTokens, newId, serviceClientId }: Deps) {
  async function userOf(nameOrId: string): Promise<ListedUser> {
    const user = await store.findUser(nameOrId);
    if (!user) throw new Refusal('not-found', `There is no user ${nameOrId}.`);
    return user;
  }

  async function appOf(id: string): Promise<ListedApp> {
    const app = await store.findApp(id);
    if (!app) throw new Refusal('not-found', `There is no application ${id}.`);
    return app;
  }

  return {
    /**
     * Sets a password and ends everything that the old one gave access to: sessions, codes, refresh and access tokens.
     * Tokens are refused first, so that nothing has changed if that is impossible, and last, for those issued in between.
     * @param given generated when undefined @returns the generated password, if it was
     */
    async resetPassword(nameOrId: string, given?: string): Promise<{ user: ListedUser; password?: string }> {
      const user = await userOf(nameOrId);
      if (given !== undefined) checkPassword(given);
      const password = given ?? newSecret();
      const hash = await passwords.hash(password);
      await refuseTokens('subject', user._id);
      if (!(await store.setPasswordHash(user._id, hash)))
        throw new Refusal('not-found', `There is no user ${nameOrId}.`);
      await store.removeSessions(user._id);
      await refuseTokens('subject', user._id);
      return { user, ...(given === undefined && { password }) };
    },

    /** Replaces the secret of an app. @param options.endTokens also refuses the access tokens issued to the app and its users */
    async replaceSecret(id: string, { endTokens = false } = {}): Promise<{ app: ListedApp; secret: string }> {
      const app = await appOf(id);
      if (id === serviceClientId) {
        throw new Refusal(
          'refused',
          `The secret of ${id} is SERVICE_CLIENT_SECRET: change that, then run the migration.`,
        );
      }
      const secret = newSecret();
      const { appSecrets } = await keys();
      if (endTokens) await refuseTokens('app', id);
      if (!(await store.setSecretHash(id, hashSecret(secret, appSecrets)))) throw missing(id);
      if (endTokens) await refuseTokens('app', id);
      return { app, secret };
    },

    /** Access tokens name what an app is, so those of an app that is no longer trusted are refused. */
    async setTrusted(id: string, trusted: boolean): Promise<ListedApp> {
      const app = await appOf(id);
      if (id === serviceClientId && !trusted) {
        throw new Refusal('refused', `The services call each other as ${id}: it must stay trusted.`);
      }
      if (!trusted) await refuseTokens('app', id);
      if (!(await store.setTrusted(id, trusted))) throw missing(id);
      if (!trusted) await refuseTokens('app', id);
      return { ...app, _trusted: trusted };
    },

    async createOrganization(name: string, id = newId()): Promise<ListedOrganization> {
      const _name = name.trim();
      if (_name === '' || _name.length > NAME_LENGTH) {
        throw new Refusal('usage', `The name must have 1 to ${NAME_LENGTH} characters.`);
      }
      if (!ORGANIZATION_ID.test(id)) throw new Refusal('usage', 'The id must be 1 to 64 letters, digits or . _ ~ -');
      const now = Date.now();
      const isNew = await store.addOrganization({ _id: id, _name, _metadata: { _createdAt: now, _updatedAt: now } });
      if (!isNew) throw new Refusal('refused', `There is an organization ${id} already.`);
      return { _id: id, _name };
    },

    listUsers: (options: Parameters<AdministrationStore['listUsers']>[0]) => store.listUsers(options),
    listApps: (options: ListOptions) => store.listApps(options),
    listOrganizations: (options: Pick<ListOptions, 'limit'>) => store.listOrganizations(options),
  };
}

const missing = (appId: string) => new Refusal('not-found', `There is no application ${appId}.`);

function checkPassword(password: string): void {
  const { min, max } = PASSWORD_LENGTH;
  if (password.length >= min && password.length <= max) return;
  throw new Refusal('usage', `The password must have ${min} to ${max} characters.`);
}

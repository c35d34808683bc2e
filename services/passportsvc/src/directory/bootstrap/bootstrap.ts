import type { MigrationConfig } from '../../config.js';
import type { DerivedKeys } from '../../oauth/keys/keyring.js';
import { createPasswords } from '../../scim/users/passwords.js';
import { newUser } from '../../scim/users/users.js';
import { CONSOLE_APP } from '../apps/app.js';
import type { App } from '../apps/app.js';
import { grantsOfApp, newApp, newSecret } from '../apps/new-app.js';
import type { NewApp } from '../apps/new-app.js';
import { newNamespace } from '../namespaces/namespaces.js';
import type { BootstrapStore } from './bootstrap.store.js';

interface Deps {
  bootstrapStore: BootstrapStore;
  keys: DerivedKeys;
  newId: () => string;
  config: MigrationConfig;
  announce: (text: string) => void;
}

const SHORT_LIVED_SEC = 2;

/**
 * Creates a new platform's records besides its keys: an organization, an administrator, a trusted administration app,
 * the app for calls between services and that of the console. Changes only the secret of the former and the redirect URI
 * of the latter, so it may run repeatedly and concurrently.
 */
export async function bootstrap(deps: Deps): Promise<void> {
  const { bootstrapStore, keys, newId, config } = deps;
  const orgId = await bootstrapStore.firstOrganization(config.BOOTSTRAP_ORG_ID ?? newId());
  await addAdministrator(orgId, deps);
  await addApps(orgId, keys.appSecrets, deps);
}

async function addAdministrator(orgId: string, { bootstrapStore, newId, config, announce }: Deps): Promise<void> {
  const email = config.BOOTSTRAP_ADMIN_EMAIL;
  if (await bootstrapStore.hasUser(email)) return;
  const password = config.BOOTSTRAP_ADMIN_PASSWORD ?? newSecret();
  const admin = {
    _id: newId(),
    _orgId: orgId,
    _admin: true,
    userName: email,
    emails: [{ value: email, type: 'work', primary: true }],
    displayName: 'Administrator',
    active: true,
    password,
  };
  const passwords = createPasswords();
  const isNew = await bootstrapStore.addUser(await newUser(admin, passwords));
  await passwords.close();
  if (isNew && !config.BOOTSTRAP_ADMIN_PASSWORD) announce(`Administrator ${email}, password ${password}`);
}

async function addApps(orgId: string, key: Buffer, { bootstrapStore, config, announce }: Deps): Promise<void> {
  // Trusted apps need no permissions.
  const addApp = (app: App) => bootstrapStore.addApp(app, app._trusted ? [] : grantsOfApp(app));
  const _id = config.BOOTSTRAP_APP_ID;
  const secret = config.BOOTSTRAP_APP_SECRET ?? newSecret();
  const common = { _orgId: orgId, _redirectUris: config.BOOTSTRAP_REDIRECT_URI.join(',') };
  const isNew = await addApp(platformApp({ ...common, _id, _name: 'Administration', secret, _trusted: true }, key));
  if (isNew && !config.BOOTSTRAP_APP_SECRET) announce(`Administration app ${_id}, secret ${secret}`);

  const services = { _id: config.SERVICE_CLIENT_ID, secret: config.SERVICE_CLIENT_SECRET, _redirectUris: '' };
  const serviceApp = platformApp({ ...common, ...services, _name: 'Services', _trusted: true }, key);
  if (!(await addApp(serviceApp))) await bootstrapStore.setSecret(serviceApp);

  // Administrators are administrators in trusted apps only. Nobody knows its secret: it signs users in with PKCE.
  const console = {
    ...{ _orgId: orgId, _id: CONSOLE_APP, _name: 'Console', secret: newSecret(), _trusted: true },
    ...{ _redirectUris: `${config.BASE_URL}/console/`, _authorizedGrantTypes: 'authorization_code,refresh_token' },
  };
  const consoleApp = platformApp(console, key);
  if (!(await addApp(consoleApp))) await bootstrapStore.setRedirectUris(consoleApp);

  if (!config.BOOTSTRAP_DEV) return;
  const { second, shortLived } = config.BOOTSTRAP_DEV;
  await bootstrapStore.addOrganization(second.orgId, 'Second organization');
  const secondApp = { _id: second.appId, secret: second.appSecret, _orgId: second.orgId, _name: 'Second organization' };
  await addApp(platformApp({ ...common, ...secondApp }, key));
  const shortApp = { _id: shortLived.appId, secret: shortLived.appSecret, _name: 'Short-lived tokens' };
  await addApp(platformApp({ ...common, ...shortApp, _accessTokenTtlSec: SHORT_LIVED_SEC }, key));
}

/** Short names are unique, names are not. */
const platformApp = (app: Omit<NewApp, '_shortName' | 'createdById'>, key: Buffer) => {
  const own = { _shortName: app._id, _namespaces: [newNamespace('app')], createdById: 'platform' };
  return newApp({ ...own, ...app }, key);
};

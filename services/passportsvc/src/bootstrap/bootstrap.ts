import { newId } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { MigrationConfig } from '../config.js';
import { newSecret } from '../domain/app-secret.js';
import { deriveKeys } from '../domain/derived-keys.js';
import { createPasswords } from '../domain/passwords.js';
import { loadSigningKeys } from '../domain/signing-keys.js';
import { newUser } from '../domain/users.js';
import { createSigningKeyStore } from '../store/signing-key-store.js';
import { createBootstrapStore } from './bootstrap-store.js';
import type { BootstrapStore } from './bootstrap-store.js';
import { newApp } from './new-app.js';

/** What was generated, for whoever installs the platform: it is told once. */
export type Announce = (text: string) => void;

const SHORT_LIVED_SEC = 2;

/**
 * What a first start needs to be of use: signing keys, an organization, an administrator, a trusted administration app
 * and the app as which the services call each other. What is there already stays as it is, so that it can run again and
 * at the same time as another.
 */
export async function bootstrap(mongo: Mongo, config: MigrationConfig, announce: Announce): Promise<void> {
  const keys = deriveKeys(config.KEY_ENCRYPTION_KEY);
  const store = createBootstrapStore(mongo.db);
  await loadSigningKeys(createSigningKeyStore(mongo.db), config.TOKEN_ALG, keys.signingKeys);
  const orgId = await store.firstOrganization(config.BOOTSTRAP_ORG_ID ?? newId());
  await addAdministrator(store, orgId, config, announce);
  await addApps(store, orgId, config, keys.appSecrets, announce);
}

async function addAdministrator(store: BootstrapStore, orgId: string, config: MigrationConfig, announce: Announce) {
  const email = config.BOOTSTRAP_ADMIN_EMAIL;
  if (await store.hasUser(email)) return;
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
  const isNew = await store.addUser(await newUser(admin, createPasswords()));
  if (isNew && !config.BOOTSTRAP_ADMIN_PASSWORD) announce(`Administrator ${email}, password ${password}`);
}

async function addApps(
  store: BootstrapStore,
  orgId: string,
  config: MigrationConfig,
  key: Buffer,
  announce: Announce,
): Promise<void> {
  const id = config.BOOTSTRAP_APP_ID;
  const secret = config.BOOTSTRAP_APP_SECRET ?? newSecret();
  const redirectUris = config.BOOTSTRAP_REDIRECT_URI.join(',');
  const administration = newApp({ id, name: 'Administration', orgId, secret, redirectUris, trusted: true }, key);
  const isNew = await store.addApp(administration);
  if (isNew && !config.BOOTSTRAP_APP_SECRET) announce(`Administration app ${id}, secret ${secret}`);

  const services = { id: config.SERVICE_CLIENT_ID, secret: config.SERVICE_CLIENT_SECRET };
  const serviceApp = newApp({ ...services, name: 'Services', orgId, redirectUris: '', trusted: true }, key);
  if (!(await store.addApp(serviceApp))) await store.setSecret(serviceApp);

  if (config.BOOTSTRAP_DEV) await addDevelopmentApps(store, orgId, config.BOOTSTRAP_DEV, redirectUris, key);
}

async function addDevelopmentApps(
  store: BootstrapStore,
  orgId: string,
  { second, shortLived }: NonNullable<MigrationConfig['BOOTSTRAP_DEV']>,
  redirectUris: string,
  key: Buffer,
): Promise<void> {
  await store.addOrganization(second.orgId, 'Second organization');
  const secondApp = { id: second.appId, secret: second.appSecret, orgId: second.orgId, name: 'Second organization' };
  await store.addApp(newApp({ ...secondApp, redirectUris, trusted: false }, key));
  const shortApp = { id: shortLived.appId, secret: shortLived.appSecret, orgId, name: 'Short-lived tokens' };
  const accessTokenTtlSec = SHORT_LIVED_SEC;
  await store.addApp(newApp({ ...shortApp, redirectUris, trusted: false, accessTokenTtlSec }, key));
}

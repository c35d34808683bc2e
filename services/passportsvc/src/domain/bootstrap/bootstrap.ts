import type { MigrationConfig } from '../../config.js';
import { newSecret } from '../apps/app-secret.js';
import { deriveKeys } from '../keys/derived-keys.js';
import type { SigningKeyStore } from '../keys/ports.js';
import { loadSigningKeys } from '../keys/signing-keys.js';
import { createPasswords } from '../scim/passwords.js';
import { newUser } from '../scim/users.js';
import { newApp } from './new-app.js';
import type { BootstrapStore } from './ports.js';

interface Deps {
  bootstrapStore: BootstrapStore;
  signingKeyStore: SigningKeyStore;
  newId: () => string;
  config: MigrationConfig;
  /** Reports generated secrets, once, to the operator who installs the platform. */
  announce: (text: string) => void;
}

const SHORT_LIVED_SEC = 2;

/**
 * Creates what a new platform needs: signing keys, an organization, an administrator, a trusted administration app and the
 * app that the services use for calls to each other. It never changes existing records, so it may run repeatedly and
 * concurrently.
 */
export async function bootstrap(deps: Deps): Promise<void> {
  const { bootstrapStore, signingKeyStore, newId, config } = deps;
  const keys = deriveKeys(config.KEY_ENCRYPTION_KEY);
  await loadSigningKeys({ signingKeyStore, algorithm: config.TOKEN_ALG, encryptionKey: keys.signingKeys });
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
  const isNew = await bootstrapStore.addUser(await newUser(admin, createPasswords()));
  if (isNew && !config.BOOTSTRAP_ADMIN_PASSWORD) announce(`Administrator ${email}, password ${password}`);
}

async function addApps(orgId: string, key: Buffer, { bootstrapStore, config, announce }: Deps): Promise<void> {
  const id = config.BOOTSTRAP_APP_ID;
  const secret = config.BOOTSTRAP_APP_SECRET ?? newSecret();
  const redirectUris = config.BOOTSTRAP_REDIRECT_URI.join(',');
  const administration = newApp({ id, name: 'Administration', orgId, secret, redirectUris, trusted: true }, key);
  const isNew = await bootstrapStore.addApp(administration);
  if (isNew && !config.BOOTSTRAP_APP_SECRET) announce(`Administration app ${id}, secret ${secret}`);

  const services = { id: config.SERVICE_CLIENT_ID, secret: config.SERVICE_CLIENT_SECRET };
  const serviceApp = newApp({ ...services, name: 'Services', orgId, redirectUris: '', trusted: true }, key);
  if (!(await bootstrapStore.addApp(serviceApp))) await bootstrapStore.setSecret(serviceApp);

  if (config.BOOTSTRAP_DEV) await addDevelopmentApps(config.BOOTSTRAP_DEV, orgId, redirectUris, key, bootstrapStore);
}

async function addDevelopmentApps(
  { second, shortLived }: NonNullable<MigrationConfig['BOOTSTRAP_DEV']>,
  orgId: string,
  redirectUris: string,
  key: Buffer,
  bootstrapStore: BootstrapStore,
): Promise<void> {
  await bootstrapStore.addOrganization(second.orgId, 'Second organization');
  const secondApp = { id: second.appId, secret: second.appSecret, orgId: second.orgId, name: 'Second organization' };
  await bootstrapStore.addApp(newApp({ ...secondApp, redirectUris, trusted: false }, key));
  const shortApp = { id: shortLived.appId, secret: shortLived.appSecret, orgId, name: 'Short-lived tokens' };
  const accessTokenTtlSec = SHORT_LIVED_SEC;
  await bootstrapStore.addApp(newApp({ ...shortApp, redirectUris, trusted: false, accessTokenTtlSec }, key));
}

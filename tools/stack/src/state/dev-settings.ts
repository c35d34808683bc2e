import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { readJson, writeSecretJson } from './json-file.js';

interface AppCredentials {
  appId: string;
  appSecret: string;
}

/** `.dtplatform/dev.json`: all that a program needs to use the running stack. */
export interface DevJson extends AppCredentials {
  baseUrl: string;
  /** The bootstrap organization; its application is trusted. */
  orgId: string;
  redirectUri: string;
  admin: { email: string; password: string };
  /** Another organization, with an application that is not trusted. */
  second: AppCredentials & { orgId: string };
  /** An application whose access tokens live 2 seconds. */
  shortLived: AppCredentials;
}

/** What the first start on a state makes up, and every later one uses again. */
export interface DevSettings extends Omit<DevJson, 'baseUrl'> {
  /** The trusted client as which the services call each other. */
  serviceClient: { id: string; secret: string };
  /** What passportsvc encrypts its signing keys with. */
  keyEncryptionKey: string;
}

export async function devSettings(stateDir: string): Promise<DevSettings> {
  const file = path.join(stateDir, 'secrets.json');
  const kept = await readJson<DevSettings>(file);
  if (kept !== undefined) return kept;
  const made = makeUp();
  await writeSecretJson(file, made);
  return made;
}

/** Writes `dev.json` for this start. */
export async function writeDevJson(stateDir: string, baseUrl: string, settings: DevSettings): Promise<DevJson> {
  const { serviceClient: _client, keyEncryptionKey: _key, ...shown } = settings;
  const dev = { baseUrl, ...shown };
  await writeSecretJson(path.join(stateDir, 'dev.json'), dev);
  return dev;
}

const makeUp = (): DevSettings => ({
  orgId: newId(),
  ...newApp(),
  redirectUri: 'http://localhost:3000/callback',
  admin: { email: 'admin@dtplatform.local', password: newSecret() },
  second: { orgId: newId(), ...newApp() },
  shortLived: newApp(),
  serviceClient: { id: newId(), secret: newSecret() },
  keyEncryptionKey: newSecret(),
});

const newApp = (): AppCredentials => ({ appId: newId(), appSecret: newSecret() });
const newId = (): string => randomBytes(12).toString('hex');
const newSecret = (): string => randomBytes(24).toString('base64url');

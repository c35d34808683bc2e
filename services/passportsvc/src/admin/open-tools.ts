import { createInterface } from 'node:readline';
import { silentLogger } from '@dtplatform/logging';
import { connectMongo, requireSchema } from '@dtplatform/mongo';
import { connectRedis, redisErrors } from '@dtplatform/redis';
import type { AdminConfig } from '../config.js';
import { createAdministration, Rejection } from '../directory/administration/administration.js';
import { createAdministrationStore } from '../directory/administration/administration.store.js';
import { createEndAccess } from '../oauth/account/account.js';
import { reencrypt } from '../oauth/keys/key-rotation.js';
import { createKeyring } from '../oauth/keys/keyring.js';
import { openKeyRotation } from '../oauth/keys/keys.module.js';
import { createDerivationSecretStore, createSealedSecretStore } from '../oauth/keys/keys.store.js';
import { createSealer } from '../oauth/keys/sealer.js';
import { createEndAuthorizations } from '../oauth/token/authorization.js';
import { createTokenRejections } from '../oauth/token/token-rejections.store.js';
import { createVersions } from '../oauth/token/versions.store.js';
import { createPasswords } from '../scim/users/passwords.js';
import { service } from '../service.js';
import { createStores } from '../stores.js';
import type { Tools } from './commands.js';

/** @throws when the database is unreachable or not migrated to this version */
export async function openTools(
  config: AdminConfig,
  stdin: NodeJS.ReadableStream & { isTTY?: boolean },
): Promise<{ tools: Tools; close: () => Promise<void> }> {
  const log = silentLogger();
  const { MONGO_URL, MONGO_DB, REDIS_URL, ACCESS_TOKEN_TTL_SEC } = config;
  const mongo = await connectMongo({ url: MONGO_URL, database: MONGO_DB, appName: 'passportsvc-admin', log });
  const redis = await connectRedis({ url: REDIS_URL, kind: 'cache', log });
  const passwords = createPasswords();
  const close = async () => void (await Promise.all([passwords.close(), mongo.close(), redis.close()]));
  try {
    await mongo.ping();
    await requireSchema(mongo, service.schema);
  } catch (error) {
    await close();
    throw error;
  }
  const sealer = createSealer(config);
  const keyring = createKeyring({ secretStore: createDerivationSecretStore(mongo), sealer });
  const rejections = createTokenRejections({ mongo, redis, ttlSec: ACCESS_TOKEN_TTL_SEC });
  const versions = createVersions(redis);
  const stores = createStores(mongo, versions);
  const endAuthorizations = createEndAuthorizations({
    ...stores,
    refuseTokens: (ids) => rejections.ofGrants(ids).catch(rejectWithoutRedis),
  });
  const administration = createAdministration({
    store: createAdministrationStore(mongo),
    ...stores,
    passwords,
    endAccess: createEndAccess({ ...stores, endAuthorizations }),
  });
  const tools = {
    administration,
    keyRotation: openKeyRotation(mongo, config).keyRotation,
    algorithm: config.TOKEN_ALG,
    checkKey: async () => void (await keyring.load()),
    reencrypt: () => reencrypt({ secrets: createSealedSecretStore(mongo), sealer }),
    readLine: () => readLine(stdin),
  };
  return { tools, close };
}

function rejectWithoutRedis(error: unknown): never {
  if (!redisErrors(error)) throw error;
  throw new Rejection('failed', 'Redis is not available, so access tokens cannot be revoked. Try again later.');
}

/** The first line of standard input. @throws Rejection (usage) on a terminal, which would echo the password */
async function readLine(stdin: NodeJS.ReadableStream & { isTTY?: boolean }): Promise<string> {
  if (stdin.isTTY) throw new Rejection('usage', 'Pipe the password to standard input.');
  for await (const line of createInterface({ input: stdin })) return line;
  throw new Rejection('usage', 'Standard input is empty.');
}

import { startSweep } from '@dtplatform/lease';
import { createLease } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { resource } from '@dtplatform/runtime';
import type { ProcessContext } from '@dtplatform/runtime';
import { keyTimesOf } from '../../config.js';
import type { Config, MigrationConfig, WorkerConfig } from '../../config.js';
import { createKeyRotation } from './key-rotation.js';
import type { KeyRotation } from './key-rotation.js';
import { createKeyring, ensureDerivationSecret } from './keyring.js';
import { derivationSecretModel, signingKeyModel } from './keys.model.js';
import { createDerivationSecretStore, createSigningKeyStore } from './keys.store.js';
import { rotateSigningKeys } from './rotate-signing-keys.job.js';
import { createSealer } from './sealer.js';
import { signingKeyRoutes } from './keys.routes.js';
import { createSigningKeys } from './signing-keys.js';
import type { SigningKeys } from './signing-keys.js';

interface Worker extends ProcessContext {
  config: Parameters<typeof openKeyRotation>[1] & Pick<WorkerConfig, 'SIGNING_KEY_ROTATION_DAYS'>;
  mongo: Mongo;
}

/** The keys that sign tokens, and the secret from which all others are derived. */
export const keys = resource({
  tags: { signingKeys: 'The keys that sign access tokens, and their rotation.' },
  models: [signingKeyModel, derivationSecretModel],
  routes: (parts: { keyRotation: KeyRotation }) => [signingKeyRoutes(parts)],
  sweeps({ config, mongo, log, lifecycle }: Worker) {
    const lease = createLease(mongo, 'signing-keys');
    const rotateAfterDays = config.SIGNING_KEY_ROTATION_DAYS;
    rotateSigningKeys({ ...openKeyRotation(mongo, config), lease, rotateAfterDays, log, lifecycle });
  },
});

/** How late a process may notice a rotation. */
const MAX_KEY_AGE_MS = 30_000;

/** The service's keys, which are stored encrypted. Each process follows the rotations of all others. */
export function openKeys(mongo: Mongo, config: Config, { log, lifecycle }: ProcessContext) {
  const sealer = createSealer(config);
  const keyring = createKeyring({ secretStore: createDerivationSecretStore(mongo), sealer });
  const times = keyTimesOf(config);
  const stored = createSigningKeys({ signingKeyStore: createSigningKeyStore(mongo), sealer, times });
  const everyMs = Math.min(MAX_KEY_AGE_MS, times.leadMs / 4);
  const sweep = startSweep({ what: 'changes of signing keys', recover: () => stored.refresh(), log, everyMs });
  lifecycle.onStop('refresh of signing keys', () => sweep.stop());
  /** Loads the keyring as well. */
  const signingKeys: SigningKeys = async () => {
    await keyring.load();
    return stored.signingKeys();
  };
  return { sealer, keyring, signingKeys, keyRotation: openKeyRotation(mongo, config).keyRotation };
}

/** The rotation of signing keys, and how often to check whether one is due. */
export function openKeyRotation(
  mongo: Mongo,
  config: Parameters<typeof createSealer>[0] & Parameters<typeof keyTimesOf>[0],
) {
  const times = keyTimesOf(config);
  const signingKeyStore = createSigningKeyStore(mongo);
  const keyRotation = createKeyRotation({ signingKeyStore, sealer: createSealer(config), times });
  return { keyRotation, everyMs: times.leadMs / 4 };
}

/** Creates the keys of a new platform, or rotates after a change of the algorithm. @returns the derived keys */
export async function createKeys(mongo: Mongo, config: MigrationConfig) {
  const sealer = createSealer(config);
  const secretStore = createDerivationSecretStore(mongo);
  await ensureDerivationSecret({ secretStore, sealer });
  const keys = await createKeyring({ secretStore, sealer }).load();
  await openKeyRotation(mongo, config).keyRotation.ensure(config.TOKEN_ALG);
  return keys;
}

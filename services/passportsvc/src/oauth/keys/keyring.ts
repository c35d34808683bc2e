import { randomBytes } from 'node:crypto';
import { commonErrors } from '@dtplatform/errors';
import { once } from '@dtplatform/lifecycle';
import type { DerivationSecretStore } from './keys.store.js';
import { derive } from './sealer.js';
import type { Sealer } from './sealer.js';

/** One key per purpose, from the derivation secret. */
export interface DerivedKeys {
  appSecrets: Buffer;
  refreshTokens: Buffer;
  cookies: string;
  /** Authenticates forms (CSRF). */
  forms: Buffer;
}

export const deriveKeys = (secret: string): DerivedKeys => ({
  appSecrets: derive(secret, 'app secrets'),
  refreshTokens: derive(secret, 'refresh tokens'),
  cookies: derive(secret, 'cookies').toString('base64url'),
  forms: derive(secret, 'forms'),
});

const SECRET_BYTES = 32;
const CONTEXT = 'derivation';

interface Deps {
  secretStore: DerivationSecretStore;
  sealer: Sealer;
}

export function createKeyring({ secretStore, sealer }: Deps) {
  let keys: DerivedKeys | undefined;
  const load = once(async () => {
    const stored = await secretStore.find();
    if (!stored)
      throw commonErrors.unavailable({ cause: new Error('The derivation secret has not been created yet.') });
    return (keys = deriveKeys(sealer.unseal(stored.sealed, CONTEXT)));
  });
  return {
    /** Loads the keys on first use; after a failure the next call retries. @throws WrongKeyEncryptionKey */
    load,
    /** @throws unavailable until they are loaded */
    loaded(): DerivedKeys {
      if (!keys) throw commonErrors.unavailable();
      return keys;
    },
  };
}

export async function ensureDerivationSecret({ secretStore, sealer }: Deps): Promise<void> {
  if (await secretStore.find()) return;
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  await secretStore.insertFirst({ _id: CONTEXT, sealed: sealer.seal(secret, CONTEXT), createdAt: Date.now() });
}

import type { SealedSecretStore } from './ports.js';
import type { Sealer } from './sealer.js';

const BATCH = 100;

/**
 * Seals every stored secret with the current key encryption key. Secrets that are sealed with it already are left alone, so
 * an interrupted call is continued by the next one. Processes that accept both keys continue to work meanwhile.
 * @returns how many secrets were sealed again
 * @throws WrongKeyEncryptionKey when a secret can be opened with neither key
 */
export async function reencrypt({ secrets, sealer }: { secrets: SealedSecretStore; sealer: Sealer }): Promise<number> {
  let count = 0;
  for (;;) {
    const batch = await secrets.listOthers(sealer.keyId, BATCH);
    if (batch.length === 0) return count;
    for (const secret of batch) {
      const { sealed, context } = secret;
      if (await secret.replace(sealer.seal(sealer.unseal(sealed, context), context))) count += 1;
    }
  }
}

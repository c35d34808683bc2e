import type { StoredKey } from './stored-key.js';

export interface SigningKeyStore {
  list(): Promise<StoredKey[]>;
  /** Does nothing if a key with this id exists. */
  insertFirst(key: StoredKey): Promise<void>;
}

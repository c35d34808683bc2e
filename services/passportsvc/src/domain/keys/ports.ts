import type { Sealed } from './sealed.js';
import type { DerivationSecret, StoredKey } from './stored-key.js';

export interface SigningKeyStore {
  list(): Promise<StoredKey[]>;
  /** Does nothing if a key with this id exists. */
  insertFirst(key: StoredKey): Promise<void>;
  remove(ids: string[]): Promise<void>;
}

export interface DerivationSecretStore {
  find(): Promise<DerivationSecret | undefined>;
  /** Does nothing if there is one. */
  insertFirst(secret: DerivationSecret): Promise<void>;
}

/** A sealed secret somewhere in the database. */
export interface SealedSecret {
  /** What it belongs to, as it was given for sealing. */
  context: string;
  sealed: Sealed;
  /** Puts another sealed form in its place. False if it was changed or removed meanwhile. */
  replace(sealed: Sealed): Promise<boolean>;
}

export interface SealedSecretStore {
  /** Some secrets that are not sealed with this key, wherever they are stored; none when all are. */
  listOthers(keyId: string, limit: number): Promise<SealedSecret[]>;
}

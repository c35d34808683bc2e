import { randomInt } from 'node:crypto';
import { cutText } from '@dtplatform/contracts';
import type { PermissionEntry, Subject } from '@dtplatform/contracts';

export const allOf = (namespaces: string[], _irn: string, _user: Subject): PermissionEntry[] =>
  namespaces.map((_namespace) => ({ _namespace, _resourceDesc: { _irn }, _user, _actions: ['*'] }));

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const RANDOM_CHARACTERS = 8;
const MAX_PREFIX = 40;

/**
 * A new namespace, `<shortName>_<8 random characters>`. Replaces characters that need escaping in namespace lists or
 * resource names.
 */
export function newNamespace(shortName: string): string {
  const prefix = cutText(shortName.replace(/[^\p{L}\p{N}_-]+/gu, '-'), MAX_PREFIX) || 'ns';
  const random = Array.from({ length: RANDOM_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `${prefix}_${random.join('')}`;
}

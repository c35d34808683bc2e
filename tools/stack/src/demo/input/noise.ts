/** A number from 0 to 1 that depends on `key` alone (FNV-1a, then mixed). */
export function noise(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}

export const pick = <T>(key: string, from: readonly T[]): T => from[Math.floor(noise(key) * from.length)]!;

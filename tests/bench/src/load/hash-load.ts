import { randomBytes, scrypt } from 'node:crypto';
import { argument } from './argument.js';

/** Only hashes of a password, as passportsvc computes them (scim/users/passwords.ts). */
export interface HashLoad {
  atOnce: number;
  seconds: number;
}

export interface HashLoadResult {
  hashesPerSecond: number;
  hashes: number;
}

const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 };

const { atOnce, seconds } = argument<HashLoad>();
const salt = randomBytes(16);
const begun = performance.now();
let hashes = 0;
await Promise.all(Array.from({ length: atOnce }, hashUntilTheEnd));
const elapsedSec = (performance.now() - begun) / 1000;
console.log(JSON.stringify({ hashesPerSecond: hashes / elapsedSec, hashes } satisfies HashLoadResult));

async function hashUntilTheEnd(): Promise<void> {
  while (performance.now() - begun < seconds * 1000) {
    await new Promise<void>((resolve, reject) => {
      scrypt('a password', salt, 32, COST, (error) => (error ? reject(error) : resolve()));
    });
    hashes += 1;
  }
}

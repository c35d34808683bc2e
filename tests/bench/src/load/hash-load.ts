import { randomBytes, scrypt } from 'node:crypto';
import { argument, finish, repeat } from './program.js';

/** Only hashes of a password, as passportsvc computes them (scim/users/passwords.ts). */
export interface HashLoad {
  atOnce: number;
  seconds: number;
}

const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 };

const { atOnce, seconds } = argument<HashLoad>();
const salt = randomBytes(16);
const hash = () =>
  new Promise<void>((resolve, reject) => {
    scrypt('a password', salt, 32, COST, (error) => (error ? reject(error) : resolve()));
  });
finish(await repeat(atOnce, seconds, hash));

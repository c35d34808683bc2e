import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { constants, getPriority } from 'node:os';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { hashSecret, newSecret, secretMatches } from '../src/directory/apps/new-app.js';
import { newNamespace } from '../src/directory/namespaces/namespaces.js';
import { deriveKeys } from '../src/oauth/keys/keyring.js';
import { seal, unseal } from '../src/oauth/keys/sealer.js';
import { readRefreshToken, writeRefreshToken } from '../src/oauth/token/authorization.js';
import { createPasswords } from '../src/scim/users/passwords.js';

describe('passwords', () => {
  const passwords = createPasswords();
  afterAll(() => passwords.close());

  it('match only their own hash', async () => {
    const [one, other] = await Promise.all([passwords.hash('päss'), passwords.hash('päss')]);
    expect(one).not.toBe(other);
    expect(await passwords.matches('pa\u0308ss', one)).toBe(true);
    expect(await passwords.matches('pass', one)).toBe(false);
    expect(await passwords.matches('päss', undefined)).toBe(false);
  });

  it('are rejected with 429 while the queue is full', async () => {
    const narrow = createPasswords({ maxRunning: 1, maxWaiting: 2 });
    const hash = await narrow.hash('x');
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => narrow.matches('x', hash)));
    const rejected = results.filter((result) => result.status === 'rejected');
    expect(rejected).toHaveLength(2);
    for (const { reason } of rejected) expect(reason).toMatchObject({ status: 429, headers: { 'retry-after': '2' } });
    expect(results.filter((result) => result.status === 'fulfilled' && result.value)).toHaveLength(3);
    expect(await narrow.matches('x', hash)).toBe(true);
    await narrow.close();
  });

  it('are hashed in a process with a lower priority, which ends on close', async () => {
    const before = (await lowThreads()).length;
    const others = createPasswords({ maxRunning: 2, maxWaiting: 0 });
    await Promise.all([others.hash('x'), others.hash('y')]);
    // The process's own thread and the hashing ones.
    const added = (await lowThreads()).length - before;
    expect(added).toBeGreaterThanOrEqual(process.platform === 'linux' ? 3 : 0);
    await others.close();
    expect(await lowThreads()).toHaveLength(before);
  });

  it('are rejected with 503 if that process ends, and hashed by a new one afterwards', async () => {
    const others = createPasswords();
    const before = await childProcesses();
    const hash = await others.hash('x');
    for (const id of await childProcesses()) if (!before.includes(id)) process.kill(id, 'SIGKILL');
    await expect(others.matches('x', hash)).rejects.toMatchObject({ status: 503 });
    expect(await others.matches('x', hash)).toBe(true);
    await others.close();
  });

  it('are still hashed after a stored hash that scrypt rejects', async () => {
    const hash = await passwords.hash('x');
    await expect(passwords.matches('x', hash.replace('$15$8$', '$15$0$'))).rejects.toThrow();
    expect(await passwords.matches('x', hash)).toBe(true);
  });
});

/** Excludes the program that lists them. */
async function childProcesses(): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,comm=']);
  const all = stdout.split('\n').map((line) => line.trim().split(/ +/));
  return all.filter(([, parent, name]) => Number(parent) === process.pid && name !== 'ps').map(([id]) => Number(id));
}

/** Threads of child processes with a lower priority; only Linux has priorities per thread. */
async function lowThreads(): Promise<number[]> {
  const processes = process.platform === 'linux' ? await childProcesses() : [];
  const threads = await Promise.all(processes.map((id) => readdir(`/proc/${id}/task`)));
  return threads
    .flat()
    .map((id) => getPriority(Number(id)))
    .filter((priority) => priority >= constants.priority.PRIORITY_BELOW_NORMAL);
}

describe('secrets', () => {
  const keys = deriveKeys(randomBytes(32).toString('hex'));

  it('derive one reproducible key per purpose', () => {
    const again = deriveKeys('k'.repeat(32));
    expect(again).toEqual(deriveKeys('k'.repeat(32)));
    expect(new Set(Object.values(again).map(String)).size).toBe(4);
  });

  it('match only their own hash under the same key', () => {
    const secret = newSecret();
    const hash = hashSecret(secret, keys.appSecrets);
    expect(secretMatches(secret, hash, keys.appSecrets)).toBe(true);
    expect(secretMatches(`${secret}x`, hash, keys.appSecrets)).toBe(false);
    expect(secretMatches(secret, hash, keys.forms)).toBe(false);
  });

  it('unseal only with their key and context, unmodified', () => {
    const sealed = seal('secret', keys.forms, 'here');
    expect(unseal(sealed, keys.forms, 'here')).toBe('secret');
    expect(() => unseal(sealed, keys.appSecrets, 'here')).toThrow();
    expect(() => unseal(sealed, keys.forms, 'there')).toThrow();
    expect(() => unseal({ ...sealed, data: Buffer.from('changed').toString('base64') }, keys.forms, 'here')).toThrow();
  });

  it('authenticate refresh tokens', () => {
    const token = { id: 'abc123', generation: 7 };
    const text = writeRefreshToken(token, keys.refreshTokens);
    expect(readRefreshToken(text, keys.refreshTokens)).toEqual(token);
    expect(readRefreshToken(text, keys.appSecrets)).toBeUndefined();
    expect(readRefreshToken(text.replace('.7.', '.8.'), keys.refreshTokens)).toBeUndefined();
    expect(readRefreshToken('', keys.refreshTokens)).toBeUndefined();
  });
});

describe('namespaces', () => {
  it('consist of the escaped short name and 8 random characters', () => {
    expect(newNamespace('tower')).toMatch(/^tower_[a-z0-9]{8}$/);
    expect(newNamespace('tower')).not.toBe(newNamespace('tower'));
    expect(newNamespace('Büro, 1:*')).toMatch(/^Büro-1-_[a-z0-9]{8}$/);
    expect(newNamespace('')).toMatch(/^ns_[a-z0-9]{8}$/);
    expect(newNamespace('x'.repeat(128)).length).toBeLessThanOrEqual(128);
    for (const length of [37, 38, 39, 40])
      expect(newNamespace(`${'x'.repeat(length)}𠮷𠮷`)).not.toMatch(/\p{Surrogate}/u);
  });
});

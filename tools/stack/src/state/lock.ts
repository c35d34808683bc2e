import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { identify, isAlive, type ProcessIdentity } from '../processes/identity.js';

export class StateInUse extends Error {
  constructor(stateDir: string, owner: ProcessIdentity) {
    super(
      `${stateDir} is in use by another start (process ${owner.pid}). ` +
        'Stop that one first, or start a second platform from a clone of its own.',
    );
  }
}

/**
 * Locks a state directory for this process, taking over the lock of a dead one. Returns a function that releases it.
 * Throws StateInUse when a live process holds it, including this one.
 */
export async function lockState(stateDir: string): Promise<() => Promise<void>> {
  await mkdir(stateDir, { recursive: true });
  const lock = path.join(stateDir, 'lock.json');
  const mine = path.join(stateDir, `lock-${randomUUID()}.json`);
  await writeFile(mine, JSON.stringify(identify(process.pid)));
  try {
    // Linking is atomic and never replaces a file.
    while (!(await linked(mine, lock))) await takeAwayIfStale(lock, stateDir);
  } finally {
    await rm(mine, { force: true });
  }
  let held = true;
  return async () => {
    if (held) await rm(lock, { force: true });
    held = false;
  };
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function takeAwayIfStale(lock: string, stateDir: string): Promise<void> {
  const owner = await readOwner(lock);
  if (owner !== undefined && isAlive(owner)) throw new StateInUse(stateDir, owner);
  const aside = path.join(stateDir, `lock-${randomUUID()}.json`);
  await rename(lock, aside).catch(() => undefined);
  const taken = await readOwner(aside);
  // Between reading and renaming, another start may have replaced the stale lock with its own: restore it.
  if (taken !== undefined && isAlive(taken)) await linked(aside, lock);
  await rm(aside, { force: true });
}

async function readOwner(file: string): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}

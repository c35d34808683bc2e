import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

/** The folder of profiles and sessions. */
export function configFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env.DTPLATFORM_CONFIG) return env.DTPLATFORM_CONFIG;
  const base = process.platform === 'win32' ? env.APPDATA : env.XDG_CONFIG_HOME;
  return path.join(base || path.join(homedir(), '.config'), 'dtplatform');
}

/** The content of a JSON file; undefined if it does not exist. */
export async function readJson<T>(name: string): Promise<T | undefined> {
  const file = path.join(configFolder(), name);
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Writes a file that only the user can read, atomically: a full disk leaves the previous one. */
export async function writeJson(name: string, value: unknown): Promise<void> {
  const file = path.join(configFolder(), name);
  const draft = `${file}.${process.pid}.new`;
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(draft, JSON.stringify(value, null, 2), { mode: 0o600 });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw new Error(`${file} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}

export const removeJson = (name: string): Promise<void> => rm(path.join(configFolder(), name), { force: true });

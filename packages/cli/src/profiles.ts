import { readJson, writeJson } from './config-folder.js';
import { UsageError } from './usage-error.js';

/** Where a user signs in and works. */
export interface Profile {
  baseUrl: string;
  clientId: string;
  redirectUri: string;
  /** The id of the user who has signed in last. The namespace belongs to them. */
  user?: string;
  namespace?: string;
}

type Profiles = Record<string, Profile>;

const FILE = 'profiles.json';
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** @throws UsageError for a name that cannot be part of a file name */
export function profileName(name: string | undefined): string {
  const chosen = name ?? process.env.DTPLATFORM_PROFILE ?? 'default';
  if (!NAME.test(chosen)) throw new UsageError('A profile name can contain only letters, digits, dots, _ and -.');
  return chosen;
}

export async function findProfile(name: string): Promise<Profile | undefined> {
  const profiles = (await readJson<Profiles>(FILE)) ?? {};
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

export async function saveProfile(name: string, profile: Profile): Promise<void> {
  await writeJson(FILE, { ...(await readJson<Profiles>(FILE)), [name]: profile });
}

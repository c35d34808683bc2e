import { paginate } from '@dtplatform/sdk';
import type { Client, EntryOf, Input } from '@dtplatform/sdk';
import type { Command } from 'commander';
import { interruption } from './interruption.js';
import { UsageError } from './usage-error.js';

export type Permission = EntryOf<'objectmodelsvc.permissions.list'>;
export type Subject = Permission['_user'];

export const ACTIONS: Permission['_actions'] = ['READ', 'CREATE', 'EDIT', 'DELETE', 'SHARE', 'RUN', 'ASSIGN', '*'];

/** Options that name the holder of a permission. */
export interface SubjectOptions {
  user?: string;
  group?: string;
  app?: string;
}

export const takesSubject = (command: Command): Command =>
  command.option('--user <id>', 'a user').option('--group <id>', 'a group').option('--app <id>', 'an app');

export function subjectOf({ user, group, app }: SubjectOptions): Subject | undefined {
  const given: Subject[] = [
    ...(user === undefined ? [] : [{ _type: 'user' as const, _id: user }]),
    ...(group === undefined ? [] : [{ _type: 'usergroup' as const, _id: group }]),
    ...(app === undefined ? [] : [{ _type: 'app' as const, _id: app }]),
  ];
  if (given.length > 1) throw new UsageError('Pass only one of --user, --group and --app.');
  return given[0];
}

export async function callerOr(client: Client, options: SubjectOptions): Promise<Subject> {
  const given = subjectOf(options);
  if (given) return given;
  return { _type: 'user', _id: (await client.call('passportsvc.users.me', { signal: interruption.signal }))._id };
}

/** Permissions that name a subject and a resource: exactly, or by patterns that cover each other. */
export async function permissionsOf(
  client: Client,
  { irn, subject, patternmatch }: { irn: string; subject: Subject; patternmatch: boolean },
): Promise<Permission[]> {
  const query = {
    ...{ '_resourceDesc._irn': irn, '_user._id': subject._id, '_user._type': subject._type, patternmatch },
  };
  const input = { query, signal: interruption.signal } as Input<'objectmodelsvc.permissions.list'>;
  const found: Permission[] = [];
  for await (const each of paginate(client, 'objectmodelsvc.permissions.list', input)) found.push(each);
  return found;
}

/** The permissions on a resource, whoever holds them. */
export const holdersOf = (client: Client, irn: string, signal: AbortSignal): AsyncIterable<Permission> => {
  const query = { '_resourceDesc._irn': irn };
  return paginate(client, 'objectmodelsvc.permissions.holders', {
    query,
    signal,
  });
};

import { ApiError, paginate } from '@dtplatform/sdk';
import type { Client } from '@dtplatform/sdk';
import { interruption } from './interruption.js';
import { ACTIONS, permissionsOf } from './subject.js';
import type { Permission, Subject } from './subject.js';

/** Whether a subject may do something, and the permissions that decide it. */
export interface Explanation {
  action: string;
  isAllowed: boolean;
  reason?: string;
  through: { id: string; subject?: string; resource?: string }[];
}

interface Question {
  irn: string;
  namespace: string;
  subject: Subject;
}

/** Asks the platform about each action, and reads the permissions that it names, if the caller may. */
export async function explainActions(client: Client, question: Question): Promise<Explanation[]> {
  const { irn, namespace, subject } = question;
  const body = ACTIONS.map((_action) => ({ _user: subject, _action, _irn: irn, _namespace: namespace }));
  const { signal } = interruption;
  const { _list } = await client.call('objectmodelsvc.permissions.check', { query: { reasons: true }, body, signal });
  const known = await knownPermissions(client, question);
  return _list.map(({ _action, _allowed, _reason }) => ({
    ...{ action: _action, isAllowed: _allowed, reason: _reason?._code },
    through: (_reason?._permissionIds ?? []).map((id) => ({ id, ...descriptionOf(known.get(id)) })),
  }));
}

const descriptionOf = (permission?: Permission) =>
  permission && {
    subject: `${permission._user._type} ${permission._user._id}`,
    resource: permission._resourceDesc._irn,
  };

/** Of the subject and of the groups that the caller can see it in, by id. */
async function knownPermissions(client: Client, { irn, subject }: Question): Promise<Map<string, Permission>> {
  const holders = [subject, ...(subject._type === 'user' ? await groupsOfCaller(client, subject._id) : [])];
  const lists = await Promise.all(
    holders.map((holder) => permissionsOf(client, { irn, subject: holder, patternmatch: true })),
  );
  return new Map(lists.flat().map((each) => [each._id, each]));
}

async function groupsOfCaller(client: Client, user: string): Promise<Subject[]> {
  const { signal } = interruption;
  const groups: Subject[] = [];
  try {
    if ((await client.call('passportsvc.users.me', { signal }))._id !== user) return [];
    for await (const { _id, _isMember } of paginate(client, 'passportsvc.usergroups.list', { signal }))
      if (_isMember) groups.push({ _type: 'usergroup', _id });
  } catch (error) {
    // Apps are not users and have no groups.
    if (!(error instanceof ApiError)) throw error;
  }
  return groups;
}

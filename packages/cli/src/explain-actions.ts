import { ApiError, paginate } from '@dtplatform/sdk';
import type { Client } from '@dtplatform/sdk';
import { interruption } from './interruption.js';
import { ACTIONS, holdersOf, permissionsOf } from './subject.js';
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

/** By id. Callers without SHARE on the resource know their own ones. */
async function knownPermissions(client: Client, question: Question): Promise<Map<string, Permission>> {
  const known = new Map<string, Permission>();
  try {
    for await (const each of holdersOf(client, question.irn, interruption.signal)) known.set(each._id, each);
    return known;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 403)) throw error;
  }
  for (const each of await ownPermissions(client, question)) known.set(each._id, each);
  return known;
}

async function ownPermissions(client: Client, { irn, subject }: Question): Promise<Permission[]> {
  const holders = [subject, ...(subject._type === 'user' ? await groupsOfCaller(client) : [])];
  const lists = holders.map((holder) => permissionsOf(client, { irn, subject: holder, patternmatch: true }));
  return (await Promise.all(lists)).flat();
}

async function groupsOfCaller(client: Client): Promise<Subject[]> {
  const groups: Subject[] = [];
  for await (const { _id, _isMember } of paginate(client, 'passportsvc.usergroups.list', {
    signal: interruption.signal,
  }))
    if (_isMember) groups.push({ _type: 'usergroup', _id });
  return groups;
}

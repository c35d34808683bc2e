import { ApiError, type Client } from '@dtplatform/sdk';

export interface DemoUser {
  email: string;
  password: string;
}

/** Creates a user, or resets the password of the one that an interrupted seeding has left. Returns the id. */
export async function createUser(app: Client, { email, password }: DemoUser, givenName: string, familyName: string) {
  const body = {
    ...{ userName: email, password, active: true, displayName: `${givenName} ${familyName}` },
    ...{ name: { givenName, familyName }, emails: [{ value: email, type: 'work', primary: true }] },
  };
  try {
    return (await app.call('passportsvc.users.create', { body })).id;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
  }
  const filter = `userName eq "${email}"`;
  const id = (await app.call('passportsvc.users.list', { query: { filter } })).Resources[0]!.id;
  const Operations = [{ op: 'replace' as const, path: 'password', value: password }];
  await app.call('passportsvc.users.patch', { path: { id }, body: { Operations } });
  return id;
}

const WORKSPACE = { _name: 'Harbour Tower', _shortName: 'harbour_tower', _userType: 'building' };
const GROUP = { _name: 'Planners', _shortName: 'planners', _description: 'Plan the rooms of Harbour Tower' };

/** Creates the workspace, in place of one that an interrupted seeding has left. Returns its namespace. */
export async function createWorkspace(demo: Client): Promise<string> {
  const left = await demo.call('passportsvc.workspaces.list', { query: { _shortName: [WORKSPACE._shortName] } });
  for (const { _id: id } of left._list) await demo.call('passportsvc.workspaces.delete', { path: { id } });
  const _description = 'An office building of five floors, with sensors';
  const body = [{ ...WORKSPACE, _description, _userAttributes: { city: 'Hamburg', floors: 5 } }];
  return (await demo.call('passportsvc.workspaces.create', { body }))._list[0]!._namespaces[0]!;
}

/** The colleague is a planner; planners read everything and edit files and items. */
export async function createPlanners(demo: Client, namespace: string, colleagueId: string): Promise<void> {
  const left = await demo.call('passportsvc.usergroups.list', { query: { _name: [GROUP._name] } });
  for (const { _id: id } of left._list) await demo.call('passportsvc.usergroups.delete', { path: { id } });
  const { _id: id } = (await demo.call('passportsvc.usergroups.create', { body: [GROUP] }))._list[0]!;
  await demo.call('passportsvc.usergroups.addMembers', { path: { id }, body: [colleagueId] });
  const grant = (_irn: string, _actions: ('READ' | 'CREATE' | 'EDIT')[]) => ({
    ...{ _namespace: namespace, _resourceDesc: { _irn }, _user: { _type: 'usergroup' as const, _id: id }, _actions },
  });
  const body = [
    grant('*:*:*', ['READ']),
    grant('filesvc:file:*', ['READ', 'CREATE', 'EDIT']),
    grant('itemsvc:nameduseritem:*', ['READ', 'CREATE', 'EDIT']),
  ];
  const { _failures } = (await demo.call('objectmodelsvc.permissions.put', { body }))._list;
  if (_failures.length > 0) throw new Error(`The grants of the planners failed: ${_failures[0]!.message}`);
}

import type { Response } from 'supertest';
import type { Viewer } from './applications.js';
import { TOWER } from './story.js';
import type { Story } from './story.js';
import type { People } from './users.js';

function firstOf({ body }: Response) {
  const [{ _id: id, _namespaces = [] }] = (body as { _list: [{ _id: string; _namespaces?: string[] }] })._list;
  return { id, namespace: _namespaces[0]! };
}

/** Olga creates a workspace for a building and grants permissions in it. */
export async function keepWorkspaces(story: Story, olga: string): Promise<void> {
  const { send, keep, replace, trusted } = story;
  const tower = {
    ...{ _name: 'Harbour Tower', _shortName: 'tower', _userType: 'building' },
    _description: 'Offices on 24 floors',
    _userAttributes: { city: 'Hamburg', floors: 24 },
  };
  const created = await send('post', '/workspaces', olga, [tower]).expect(201);
  keep('workspaces.create', created);
  const { id, namespace } = firstOf(created);
  replace(namespace, TOWER);
  const query = { _userType: 'building', '_userAttributes.city': 'Hamburg' };
  keep('workspaces.list', await send('get', '/workspaces', olga).query(query).expect(200));
  keep('workspaces.get', await send('get', `/workspaces/${id}`, olga).expect(200));
  const change = { _description: 'Offices on 24 floors, and a garage' };
  keep('workspaces.update', await send('put', `/workspaces/${id}`, olga, change).expect(200));
  keep('usage.recount', await send('get', '/usage', trusted).query({ namespace }).expect(200));

  await keepProfiles(story, olga, namespace);
  await keepPermissions(story, olga);
}

async function keepProfiles({ send, keep }: Story, olga: string, namespace: string): Promise<void> {
  const profile = {
    ...{ _name: 'Nightly import', _description: 'What the import of sensor readings may do' },
    _namespaces: [namespace],
  };
  const created = await send('post', '/permissionprofiles', olga, [profile]).expect(201);
  keep('permissionprofiles.create', created);
  const query = { _name: profile._name };
  keep('permissionprofiles.list', await send('get', '/permissionprofiles', olga).query(query).expect(200));
  const { id } = firstOf(created);
  keep('permissionprofiles.get', await send('get', `/permissionprofiles/${id}`, olga).expect(200));
}

async function keepPermissions({ send, keep, trusted, permissions }: Story, olga: string): Promise<void> {
  const actions = { _svc: 'filesvc', _resource: 'file', _actions: ['READ', 'CREATE', 'EDIT', 'DELETE', 'SHARE'] };
  keep('permissionActions.put', await send('put', '/permission_actions', trusted, actions).expect(200));
  const known = await send('get', '/permission_actions', olga).query({ _svc: 'filesvc' }).expect(200);
  keep('permissionActions.list', known);
  keep('permissions.put', await send('put', '/permissions', olga, [permissions.entry]).expect(200));
  keep('permissions.list', await send('get', '/permissions', olga).query(permissions.query).expect(200));
}

/** Olga creates a team of her colleagues. */
export async function keepTeams(story: Story, people: People, { client, olga }: Viewer): Promise<void> {
  const { send, keep, replace, signIn, redeemCode } = story;
  const team = { _name: 'Facility team', _shortName: 'facility', _description: 'Keeps the building running' };
  const created = await send('post', '/usergroups', olga, [team]).expect(201);
  keep('usergroups.create', created);
  const { id, namespace } = firstOf(created);
  replace(namespace, 'facility_p4h7d1ze');
  const group = `/usergroups/${id}`;
  keep('usergroups.list', await send('get', '/usergroups', olga).query({ _name: team._name }).expect(200));
  keep('usergroups.get', await send('get', group, olga).expect(200));
  const change = { _description: 'Keeps Harbour Tower running' };
  keep('usergroups.update', await send('put', group, olga, change).expect(200));
  keep('usergroups.addMembers', await send('put', `${group}/users`, olga, [people.ben.id]).expect(200));
  keep('usergroups.listMembers', await send('get', `${group}/users`, olga).expect(200));

  const invite = { _email: people.carla.userName, _params: { building: 'Harbour Tower' } };
  const invited = await send('post', `${group}/invites`, olga, [invite]).expect(201);
  keep('invites.create', invited);
  const pending = await send('get', `${group}/invites`, olga).query({ _status: 'PENDING' }).expect(200);
  keep('invites.list', pending);
  const { body } = await redeemCode(client, await signIn(people.carla, client));
  const carla = `Bearer ${body.access_token as string}`;
  keep('invites.listOwn', await send('get', '/invites', carla).expect(200));
  const { id: inviteId } = firstOf(invited);
  keep('invites.change', await send('put', `/invites/${inviteId}`, carla, { _status: 'ACCEPTED' }).expect(200));

  keep('users.me', await send('get', '/users/me', olga).expect(200));
  keep('accounts.me', await send('get', '/accounts/me', olga).expect(200));
  keep('users.show', await send('get', `/users/${people.ben.id}`, olga).expect(200));
  keep('asyncTasks.get', await send('get', `/asynctasks/${story.taskId}`, olga).expect(200));
}

/** Olga changes the invite mail of her app. */
export async function keepTemplates({ send, keep }: Story, olga: string): Promise<void> {
  const templates = '/notification_templates';
  const _name = 'USER_GROUP_INVITE';
  const listed = await send('get', templates, olga).query({ _name }).expect(200);
  keep('notificationTemplates.list', listed);
  const { id } = firstOf(listed);
  keep('notificationTemplates.get', await send('get', `${templates}/${id}`, olga).expect(200));
  const change = {
    _name,
    _title: 'Join the team of ${building}',
    _message: '<p>Olga invites you to the team of ${building}.</p><p><a href="${invite_link}">Join</a></p>',
  };
  const draft = { _title: change._title, _message: change._message, _format: 'text/html' };
  keep('notificationTemplates.preview', await send('post', `${templates}/preview`, olga, draft).expect(200));
  keep('notificationTemplates.update', await send('put', `${templates}/${id}`, olga, change).expect(200));
}

import { beforeAll, describe, expect, it } from '@jest/globals';
import { enter, openWorkspace, type Person } from './support/people.js';
import { send } from './support/platform.js';

const GROUPS = '/passportsvc/api/v1/usergroups';

describe('permissions of a group', () => {
  let owner: Person;
  let member: Person;
  let namespace: string;
  let groupId: string;

  beforeAll(async () => {
    [owner, member] = await Promise.all([enter(), enter()]);
    namespace = await openWorkspace(owner);
    const created = await send('POST', GROUPS, { token: owner.token, json: [{ _name: 'Readers' }] });
    expect(created.status).toBe(201);
    groupId = created.body._list[0]._id as string;
    const entry = {
      _namespace: namespace,
      _resourceDesc: { _irn: '*:*:*' },
      _user: { _type: 'usergroup', _id: groupId },
      _actions: ['READ'],
    };
    const granted = await send('PUT', '/objectmodelsvc/api/v1/permissions', { token: owner.token, json: [entry] });
    expect(granted.body._list).toMatchObject({ _success: [{ _status: 201 }], _failures: [] });
    const query = { nsfilter: namespace, _name: 'Plans', _namespaces: namespace };
    expect((await send('POST', '/filesvc/api/v1/files', { token: owner.token, query })).status).toBe(200);
  });

  const files = async () => {
    const query = { nsfilter: namespace, _namespaces: namespace };
    const { status, body } = await send('GET', '/filesvc/api/v1/files', { token: member.token, query });
    expect(status).toBe(200);
    return body._total as number;
  };
  const members = (method: 'PUT' | 'DELETE', by: Person) =>
    send(method, `${GROUPS}/${groupId}/users`, { token: by.token, json: [member.id] });
  const sees = async () =>
    (await send('GET', `/passportsvc/api/v1/users/${owner.id}`, { token: member.token })).status === 200;

  it('apply in other services from joining to leaving', async () => {
    for (let n = 0; n < 3; n++) {
      expect([await files(), await sees()]).toEqual([0, false]);
      expect((await members('PUT', owner)).status).toBe(200);
      expect([await files(), await sees()]).toEqual([1, true]);
      expect((await members('DELETE', member)).status).toBe(204);
    }
    expect(await files()).toBe(0);
  });

  it('apply to a user who accepts an invite, until the group is deleted', async () => {
    const json = [{ _email: member.email }];
    expect((await send('POST', `${GROUPS}/${groupId}/invites`, { token: owner.token, json })).status).toBe(201);
    const own = await send('GET', '/passportsvc/api/v1/invites', { token: member.token });
    const [{ _id }] = own.body as unknown as [{ _id: string }];
    const accept = { token: member.token, json: { _status: 'ACCEPTED' } };
    expect((await send('PUT', `/passportsvc/api/v1/invites/${_id}`, accept)).status).toBe(200);
    expect(await files()).toBe(1);
    expect((await send('DELETE', `${GROUPS}/${groupId}`, { token: owner.token })).status).toBe(204);
    expect([await files(), await sees()]).toEqual([0, false]);
  });
});

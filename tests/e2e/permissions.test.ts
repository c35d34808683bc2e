import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { needsToken, operations, pathOf } from './support/openapi.js';
import { enter, openWorkspace, type Person } from './support/people.js';
import { send, SERVICES } from './support/platform.js';
import { fillNamespace, grant, type Resource } from './support/resources.js';

describe('without a token', () => {
  it.each(SERVICES)('%s rejects every operation with 401', async (service) => {
    const guarded = operations.filter((operation) => operation.service === service && needsToken(operation));
    expect(guarded.length).toBeGreaterThan(0);
    for (const operation of guarded) {
      const reply = await send(operation.method, pathOf(operation));
      expect([operation.operationId, reply.status]).toEqual([operation.operationId, 401]);
      expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer/);
      if (operation.method !== 'HEAD' && operation.errors === 'platform')
        expect(reply.body).toMatchObject({ status: 401, error: expect.any(String), requestId: expect.any(String) });
    }
  });

  it.each(['not-a-token', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.'])('rejects the token %s', async (token) => {
    for (const service of SERVICES) {
      const operation = operations.find((each) => each.service === service && needsToken(each))!;
      expect((await send(operation.method, pathOf(operation), { token })).status).toBe(401);
    }
  });
});

describe('between tenants', () => {
  let owner: Person;
  let partner: Person;
  let outsider: Person;
  let namespace: string;
  let resources: Resource[];

  beforeAll(async () => {
    [owner, partner, outsider] = await Promise.all([enter(), enter(), enter()]);
    namespace = await openWorkspace(owner);
    // The other tenant has its own namespace, which gives no access here.
    await openWorkspace(outsider);
    resources = await fillNamespace(owner, namespace);
  });

  const statusOf = async ({ path, query }: Resource, { token }: Person) =>
    (await send('GET', path, { token, query })).status;
  const isListed = async ({ list, query, id }: Resource, { token }: Person) => {
    const { status, body } = await send('GET', list!, { token, query });
    expect(status).toBe(200);
    const ids = (body._list as { _id?: string; id?: string }[]).map((entry) => entry._id ?? entry.id);
    expect(body._total).toBe(ids.length);
    return ids.includes(id);
  };
  const metric = async ({ token }: Person) => {
    const query = { namespace };
    const path = '/metricsvc/api/v1/metrics/dtplatform.itemsvc.NamedUserCollectionCount';
    const { status, body } = await send('GET', path, { token, query });
    expect(status).toBe(200);
    return (body.metrics as { value: number }[]).map(({ value }) => value);
  };
  const workspaces = async ({ token }: Person) => {
    const { body } = await send('GET', '/passportsvc/api/v1/workspaces', { token });
    return (body._list as { _namespaces: string[] }[]).flatMap(({ _namespaces }) => _namespaces);
  };
  const permissionsOf = async (who: Person, { token }: Person) => {
    const query = { _namespace: namespace, '_resourceDesc._irn': '*:*:*', '_user._id': who.id, '_user._type': 'user' };
    const path = '/objectmodelsvc/api/v1/permissions';
    const { status, body } = await send('GET', path, { token, query: { ...query, patternmatch: 'false' } });
    expect(status).toBe(200);
    return body._total as number;
  };

  it('shows the owner everything', async () => {
    for (const resource of resources) {
      expect([resource.service, await statusOf(resource, owner)]).toEqual([resource.service, 200]);
      if (resource.list) expect([resource.service, await isListed(resource, owner)]).toEqual([resource.service, true]);
    }
    await eventually(async () => expect(await metric(owner)).toEqual([1]));
    expect(await workspaces(owner)).toEqual([namespace]);
    expect(await permissionsOf(owner, owner)).toBe(1);
  });

  it('shows another tenant nothing: 404, empty lists, no metrics', async () => {
    for (const resource of resources) {
      expect([resource.service, await statusOf(resource, outsider)]).toEqual([resource.service, 404]);
      if (resource.list)
        expect([resource.service, await isListed(resource, outsider)]).toEqual([resource.service, false]);
    }
    expect(await metric(outsider)).toEqual([]);
    expect(await workspaces(outsider)).not.toContain(namespace);
    expect(await permissionsOf(owner, outsider)).toBe(0);
  });

  it('lets another tenant create nothing (403)', async () => {
    const query = { nsfilter: namespace };
    const item = { _name: 'a', _shortName: 'a', _description: '', _userType: 'a', _itemClass: 'NamedUserCollection' };
    const json = [{ ...item, _namespaces: [namespace] }];
    const created = await send('POST', '/itemsvc/api/v1/nameduseritems', { token: outsider.token, query, json });
    expect(created.status).toBe(403);
    const folder = { ...query, _name: 'a', _namespaces: namespace };
    expect((await send('POST', '/filesvc/api/v1/files', { token: outsider.token, query: folder })).status).toBe(403);
    const tasks = [{ _orchcomp: 'wait', _sequenceno: 1 }];
    const orchestrator = { _name: 'a', _namespaces: [namespace], _params: { tasks } };
    const request = { token: outsider.token, query, json: orchestrator };
    expect((await send('POST', '/datasourcesvc/api/v1/orchestrators', request)).status).toBe(403);
  });

  it('opens every service with one permission, and closes every service at once when it is revoked', async () => {
    for (const resource of resources)
      expect([resource.service, await statusOf(resource, partner)]).toEqual([resource.service, 404]);

    const permission = await grant(owner, partner, { namespace, irn: '*:*:*', actions: ['READ'] });
    for (const resource of resources)
      expect([resource.service, await statusOf(resource, partner)]).toEqual([resource.service, 200]);
    expect(await metric(partner)).toEqual([1]);
    expect(await workspaces(partner)).toContain(namespace);

    const path = `/objectmodelsvc/api/v1/permissions/${permission}`;
    expect((await send('DELETE', path, { token: owner.token })).status).toBe(204);
    // No polling here: the response above means that the revocation is effective everywhere.
    const after = await Promise.all(resources.map((resource) => statusOf(resource, partner)));
    expect(after).toEqual(resources.map(() => 404));
    expect(await metric(partner)).toEqual([]);
    expect(await workspaces(partner)).not.toContain(namespace);
  });

  it('rejects writes of a reader with 403, and grants of permissions that the caller lacks', async () => {
    const [file] = resources;
    await grant(owner, partner, { namespace, irn: `filesvc:file:${file!.id}`, actions: ['READ'] });
    const put = { token: partner.token, query: file!.query, json: { _name: 'renamed.txt' } };
    expect((await send('PUT', file!.path, put)).status).toBe(403);

    const user = { _type: 'user', _id: outsider.id };
    const entry = { _namespace: namespace, _resourceDesc: { _irn: `filesvc:file:${file!.id}` }, _user: user };
    const json = [{ ...entry, _actions: ['READ'] }];
    const reply = await send('PUT', '/objectmodelsvc/api/v1/permissions', { token: partner.token, json });
    expect(reply).toMatchObject({ status: 200, body: { _list: { _success: [], _failures: [{ _index: 0 }] } } });
    expect(await statusOf(file!, outsider)).toBe(404);
  });
});

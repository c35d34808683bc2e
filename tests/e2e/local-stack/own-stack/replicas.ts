import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServiceProcess } from '@dtplatform/stack';
import { clientCredentials } from '@dtplatform/stack/client';
import { enter, openWorkspace, type Person } from '../../support/people.js';
import { type Request, sendTo } from '../../support/platform.js';
import type { OwnStack } from './own-stack.js';

const MINUTES = 60_000;
const PERMISSIONS = '/objectmodelsvc/api/v1/permissions';

/** Revoked access ends in all replicas. */
export function testReplicas(own: OwnStack): void {
  /**
   * Two replicas each of filesvc and itemsvc, called directly. All have cached the caller's permissions before they
   * end.
   */
  describe('every replica rejects revoked access before the revoking call responds:', () => {
    const replicas: ServiceProcess[] = [];
    let started: ServiceProcess[] = [];
    let owner: Person;
    let member: Person;
    let namespace: string;

    beforeAll(async () => {
      const firsts = own.stack.services.filter(({ name }) => name === 'filesvc' || name === 'itemsvc');
      started = await Promise.all(firsts.map((first) => first.startReplica()));
      replicas.push(...firsts, ...started);
    }, MINUTES);
    afterAll(() => Promise.all(started.map((replica) => replica.stop())), MINUTES);
    beforeEach(async () => {
      [owner, member] = await Promise.all([enter(own.stack.dev), enter(own.stack.dev)]);
      namespace = await openWorkspace(owner, own.stack.dev);
      const query = { nsfilter: namespace, _name: 'Plans', _namespaces: namespace };
      await must(200, 'POST', '/filesvc/api/v1/files', { token: owner.token, query });
      const item = { _name: 'Rooms', _shortName: 'rooms', _description: '', _userType: 'rooms' };
      const json = [{ ...item, _namespaces: [namespace], _itemClass: 'NamedUserCollection' }];
      const request = { token: owner.token, query: { nsfilter: namespace }, json };
      await must(201, 'POST', '/itemsvc/api/v1/nameduseritems', request);
    });

    const send = (method: string, target: string, request: Request) =>
      sendTo(own.stack.baseUrl, method, target, request);
    async function must(status: number, method: string, target: string, request: Request) {
      const response = await send(method, target, request);
      expect([target, response.status, response.body]).toEqual([target, status, response.body]);
      return response.body;
    }
    /** The response of each replica: a status, and the number of listed resources. */
    const ask = (token: string) =>
      Promise.all(
        replicas.map(async ({ name, url }) => {
          const target = name.startsWith('filesvc') ? '/filesvc/api/v1/files' : '/itemsvc/api/v1/nameduseritems';
          const { status, body } = await sendTo(url!, 'GET', target, { token, query: { nsfilter: namespace } });
          return status === 200 ? (body._total as number) : status;
        }),
      );
    const grant = async (_user: { _type: string; _id: string }, _actions = ['READ']) => {
      const json = [{ _namespace: namespace, _resourceDesc: { _irn: '*:*:*' }, _user, _actions }];
      const { _list } = await must(200, 'PUT', PERMISSIONS, { token: owner.token, json });
      return _list._success[0]._id as string;
    };
    const SOME = [1, 1, 1, 1];
    const NONE = [0, 0, 0, 0];
    const REFUSED = [401, 401, 401, 401];

    it('a revoked permission', async () => {
      for (let times = 0; times < 5; times++) {
        const id = await grant({ _type: 'user', _id: member.id });
        expect(await ask(member.token)).toEqual(SOME);
        await must(204, 'DELETE', `${PERMISSIONS}/${id}`, { token: owner.token });
        expect(await ask(member.token)).toEqual(NONE);
      }
    });

    it('a left group, and a deleted one', async () => {
      const groups = '/passportsvc/api/v1/usergroups';
      const created = await must(201, 'POST', groups, { token: owner.token, json: [{ _name: 'Readers' }] });
      const groupId = created._list[0]._id as string;
      await grant({ _type: 'usergroup', _id: groupId });
      const members = { token: owner.token, json: [member.id] };
      for (let times = 0; times < 6; times++) {
        await must(200, 'PUT', `${groups}/${groupId}/users`, members);
        expect(await ask(member.token)).toEqual(SOME);
        const ended = times < 5 ? `${groups}/${groupId}/users` : `${groups}/${groupId}`;
        await must(204, 'DELETE', ended, times < 5 ? members : { token: owner.token });
        expect(await ask(member.token)).toEqual(NONE);
      }
    });

    it('a deactivated user', async () => {
      await grant({ _type: 'user', _id: member.id });
      expect(await ask(member.token)).toEqual(SOME);
      const json = {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [{ op: 'replace', path: 'active', value: false }],
      };
      const token = (await clientCredentials(own.stack.dev)).access_token;
      await must(200, 'PATCH', `/passportsvc/api/v1/scim/Users/${member.id}`, { token, json });
      expect(await ask(member.token)).toEqual(REFUSED);
    });

    it('a deleted application', async () => {
      const token = (await clientCredentials(own.stack.dev)).access_token;
      const { orgId, redirectUri, admin } = own.stack.dev;
      const _name = `app-${randomBytes(4).toString('hex')}`;
      const json = { _name, _appOwner: admin.email, _redirectUris: redirectUri, _orgId: orgId };
      const { _id: appId, _secret: appSecret } = await must(201, 'POST', '/passportsvc/api/v1/apps/', { token, json });
      const app = (await clientCredentials({ ...own.stack.dev, appId, appSecret })).access_token;
      expect(await ask(app)).toEqual(NONE);
      await must(204, 'DELETE', `/passportsvc/api/v1/apps/${appId}`, { token });
      expect(await ask(app)).toEqual(REFUSED);
    });

    it("while Redis is unavailable every request is rejected, whatever the caller's permissions", async () => {
      expect(await ask(owner.token)).toEqual(SOME);
      const restart = await own.stack.backends.interrupt('redis');
      expect(await ask(owner.token)).toEqual([503, 503, 503, 503]);
      expect(await ask(member.token)).toEqual([503, 503, 503, 503]);
      await restart();
    });
  });
}

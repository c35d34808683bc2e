import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { ORCHESTRATORS, RUNS, startAppWithOthers, step } from './start-app.js';

const tasks = [step('load_graphics_files', { fileIds: ['file-1'] })];

const app = await startAppWithOthers({ namespaces: ['tower_1', 'bridge_2'] });
const { others, owner } = app;
await app.startWorker();
afterAll(() => app.stop());

/** Orchestrators whose steps have the permissions of a permission profile. */
describe('an orchestrator with a permission profile', () => {
  const irnOf = (id: string) => `passportsvc:permissionprofile:${id}`;
  const profileIn = (...namespaces: string[]) => {
    const id = newId();
    others.profiles.set(id, namespaces);
    return id;
  };
  const create = (headers: { authorization: string }, _permissionprofileid: string, more: object = {}) =>
    app.api
      .post(`${ORCHESTRATORS}?nsfilter=tower_1`)
      .set(headers)
      .send({ _name: `orchestrator ${Math.random()}`, _params: { tasks }, _permissionprofileid, ...more });

  beforeEach(() => others.will({ put: 200, statuses: ['LOADED'] }));

  describe('creation', () => {
    it('requires ASSIGN on the profile in all of its namespaces', async () => {
      const maker = await app.as('ada');
      const profile = profileIn('tower_1', 'bridge_2');
      const both = { _namespaces: ['tower_1', 'bridge_2'] };
      for (const namespace of both._namespaces)
        await app.grants.allow('ada', namespace, 'datasourcesvc:orchestrator:*', ['CREATE']);
      await create(maker, profile).expect(403);
      await app.grants.allow('ada', 'tower_1', irnOf(profile), ['READ']);
      await create(maker, profile).expect(403);
      await app.grants.allow('ada', 'tower_1', irnOf(profile), ['ASSIGN']);
      const { body } = await create(maker, profile).expect(200);
      expect(body._permissionprofileid).toBe(profile);
      await create(maker, profile, both).expect(403);
      await app.grants.allow('ada', 'bridge_2', irnOf(profile), ['ASSIGN']);
      await create(maker, profile, both).expect(200);
    });

    it('requires a profile that exists and belongs to all of its namespaces', async () => {
      for (const profile of [newId(), profileIn('elsewhere_9'), profileIn()]) {
        for (const headers of [owner, await app.as('platform', 'trusted')]) {
          const { body } = await create(headers, profile).expect(400);
          expect(body.code).toBe('UNKNOWN_PROFILE');
        }
      }
      await create(owner, profileIn('tower_1'), { _namespaces: ['tower_1', 'bridge_2'] }).expect(400);
      await create(owner, '../../scim/Users').expect(400);
    });
  });

  describe('runs', () => {
    const startAs = async (headers: { authorization: string }, profile: string, more: object = {}) => {
      const { body } = await create(owner, profile, more).expect(200);
      return app.run(headers, body.id as string);
    };

    it('have the permissions of the profile instead of their starter’s', async () => {
      const starter = await app.as('sten');
      await app.grants.allow('sten', 'tower_1', 'datasourcesvc:orchestrator:*', ['READ', 'RUN']);
      const profile = profileIn('tower_1');
      for (const more of [{}, { instant: true }]) {
        others.will({ put: 200, statuses: ['LOADED'] });
        const run = await startAs(starter, profile, more);
        const ended = await app.untilStatus(owner, run.id, 'COMPLETED');
        expect(ended._createdby).toBe('sten');
        const grant_type = 'urn:ietf:params:oauth:grant-type:token-exchange';
        expect(others.exchanges).toEqual([{ grant_type, subject: profile, subject_type: 'permprofile' }]);
        expect(new Set(others.calls.map(({ authorization }) => authorization))).toEqual(
          new Set([`Bearer token-1-of-${profile}`]),
        );
      }
    });

    it('end as ERROR with the reason when the profile was deleted', async () => {
      const profile = profileIn('tower_1');
      others.will({ put: 200, statuses: ['LOADED'], exchange: 'inactive' });
      const run = await startAs(owner, profile);
      const { orchrunsteps } = await app.untilStatus(owner, run.id, 'ERROR');
      expect(orchrunsteps[0]._statusmsg).toBe('The required permission profile no longer exists.');
      expect(others.exchanges).toHaveLength(1);
      expect(others.calls).toEqual([]);
    });

    it('are retried only while the orchestrator has the profile', async () => {
      const starter = await app.as('rita');
      await app.grants.allow('rita', 'tower_1', 'datasourcesvc:orchestrator:*', ['READ', 'RUN']);
      for (const more of [{}, { instant: true }]) {
        const profile = profileIn('tower_1');
        others.will({ put: 200, statuses: ['LOADED'], exchange: 'inactive' });
        const { id, _orchid } = await startAs(starter, profile, more);
        await app.untilStatus(owner, id, 'ERROR');
        const retry = () => app.api.post(`${RUNS}/${id}/retry?nsfilter=tower_1`).set(starter);
        const orchestrator = `${ORCHESTRATORS}/${_orchid}?nsfilter=tower_1`;
        for (const _permissionprofileid of [null, profileIn('tower_1')]) {
          await app.api.put(orchestrator).set(owner).send({ _params: {}, _permissionprofileid }).expect(200);
          expect((await retry().expect(409)).body.code).toBe('PROFILE_TAKEN_AWAY');
        }
        await app.api.put(orchestrator).set(owner).send({ _params: {}, _permissionprofileid: profile }).expect(200);
        await retry().expect(200);
        expect(await app.untilStatus(owner, id, 'ERROR')).toMatchObject({ _attempts: 2, _retriedby: 'rita' });
        await app.api.delete(orchestrator).set(owner).expect(204);
        expect((await retry().expect(409)).body.code).toBe('ORCHESTRATOR_DELETED');
      }
    });

    it('can be started with the token of another profile', async () => {
      const other = { _type: 'permprofile' as const, _id: profileIn('tower_1') };
      await app.grants.allow(other, 'tower_1', 'datasourcesvc:orchestrator:*', ['READ', 'RUN']);
      const { id } = await app.create(owner, tasks);
      const run = await app.run(await app.as(other._id, 'profile'), id);
      await app.untilStatus(owner, run.id, 'COMPLETED');
      expect(others.exchanges).toMatchObject([{ subject: other._id, subject_type: 'permprofile' }]);
    });
  });
});

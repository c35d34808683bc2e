import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { ORCHESTRATORS, RUNS, startAppWithOthers, step } from './start-app.js';

const INACTIVE = 'The user or application that started this is no longer active.';

const app = await startAppWithOthers();
const { others, owner } = app;
const starter = await app.as('sten');
await app.grants.allow('sten', 'tower_1', 'datasourcesvc:orchestrator:*', ['READ', 'RUN']);
const load = (n: number) => step('load_graphics_files', { fileIds: [`file-${n}`] }, n);
const { id } = await app.create(owner, [load(1), load(2)]);
await app.startWorker();
afterAll(() => app.stop());

/** The permissions of steps that call other services. */
describe('a run acts for its starter', () => {
  const start = (headers = starter) => app.run(headers, id);
  const tokensSent = () => [...new Set(others.calls.map(({ authorization }) => authorization))];
  const failureOf = async (run: { id: string }) =>
    (await app.untilStatus(owner, run.id, 'ERROR')).orchrunsteps[0]._statusmsg as string;

  beforeEach(() => {
    others.rejectedTokens.clear();
    others.will({ put: 200, statuses: ['LOADED'] });
  });

  it('even if the starter does not own the orchestrator, with one token for all steps', async () => {
    const run = await start();
    await app.untilStatus(owner, run.id, 'COMPLETED');
    const grant_type = 'urn:ietf:params:oauth:grant-type:token-exchange';
    expect(others.exchanges).toEqual([{ grant_type, subject: 'sten', subject_type: 'user' }]);
    expect(tokensSent()).toEqual(['Bearer token-1-of-sten']);
  });

  it("even if the starter is an app or a permission profile; a trusted client has only its app's permissions", async () => {
    for (const [subject, kind, subject_type] of [
      ['viewer', 'app', 'app'],
      ['platform-services', 'trusted', 'app'],
      ['f'.repeat(24), 'profile', 'permprofile'],
    ] as const) {
      others.will({ put: 200, statuses: ['LOADED'] });
      await app.grants.allow({ _type: subject_type, _id: subject }, 'tower_1', '*:*:*', ['*']);
      const run = await start(await app.as(subject, kind));
      await app.untilStatus(owner, run.id, 'COMPLETED');
      expect(others.exchanges).toMatchObject([{ subject, subject_type }]);
      expect(tokensSent()).toEqual([`Bearer token-1-of-${subject}`]);
    }
  });

  it('but ends as ERROR, without a retry, when the starter was deactivated before a step', async () => {
    others.will({ put: 200, statuses: ['LOADED'], exchange: 'inactive' });
    // A step that calls no other service needs no token.
    const waiting = await app.run(owner, (await app.create(owner, [step('wait', { ms: 0 })])).id);
    await app.untilStatus(owner, waiting.id, 'COMPLETED');
    expect(others.exchanges).toEqual([]);
    expect(await failureOf(await start())).toBe(INACTIVE);
    expect(others.exchanges).toHaveLength(1);
    expect(others.calls).toEqual([]);
  });

  it('and continues with a new token when the current one is rejected, unless the starter is deactivated', async () => {
    others.will({ put: 200, statuses: ['LOADING'] });
    const run = await start();
    await eventually(() => expect(others.calls.length).toBeGreaterThan(1));
    others.rejectedTokens.add('token-1-of-sten');
    await eventually(() => expect(tokensSent()).toEqual(['Bearer token-1-of-sten', 'Bearer token-2-of-sten']));
    others.will({ put: 200, statuses: ['LOADING'], exchange: 'inactive' });
    others.rejectedTokens.add('token-2-of-sten');
    expect(await failureOf(run)).toBe(INACTIVE);
  });

  it('and is retried while no tokens are issued', async () => {
    others.will({ put: 200, statuses: ['LOADED'], exchange: 'unavailable' });
    const run = await start();
    await eventually(() => expect(others.exchanges.length).toBeGreaterThan(0));
    others.will({ put: 200, statuses: ['LOADED'] });
    await app.untilStatus(owner, run.id, 'COMPLETED');
  });

  it('or, after a retry, for the user who retried it', async () => {
    others.will({ put: 404, statuses: ['LOADED'] });
    const run = await start();
    await app.untilStatus(owner, run.id, 'ERROR');
    others.will({ put: 200, statuses: ['LOADED'] });
    await app.api.post(`${RUNS}/${run.id}/retry?nsfilter=tower_1`).set(owner).expect(200);
    expect(await app.untilStatus(owner, run.id, 'COMPLETED')).toMatchObject({ _createdby: 'sten', _retriedby: 'olga' });
    expect(others.exchanges).toMatchObject([{ subject: 'olga', subject_type: 'user' }]);
    expect(tokensSent()).toEqual(['Bearer token-1-of-olga']);
  });

  describe('unless its orchestrator has a permission profile, whose permissions it then has', () => {
    const { profileIn } = others;
    const startWith = async (_permissionprofileid: string, more: object) =>
      app.run(starter, (await app.create(owner, [load(1)], { _permissionprofileid, ...more })).id);

    it.each([{}, { instant: true }])('instead of its starter’s, with %j', async (more) => {
      const profile = profileIn('tower_1');
      const run = await startWith(profile, more);
      expect(await app.untilStatus(owner, run.id, 'COMPLETED')).toMatchObject({ _createdby: 'sten' });
      expect(others.exchanges).toMatchObject([{ subject: profile, subject_type: 'permprofile' }]);
      expect(tokensSent()).toEqual([`Bearer token-1-of-${profile}`]);
    });

    it.each([{}, { instant: true }])('while that exists and the orchestrator has it, with %j', async (more) => {
      const profile = profileIn('tower_1');
      others.will({ put: 200, statuses: ['LOADED'], exchange: 'inactive' });
      const { id: runId, _orchid } = await startWith(profile, more);
      expect(await failureOf({ id: runId })).toBe('The required permission profile no longer exists.');
      expect([others.exchanges.length, others.calls]).toEqual([1, []]);
      const retry = () => app.api.post(`${RUNS}/${runId}/retry?nsfilter=tower_1`).set(starter);
      for (const other of [null, profileIn('tower_1')]) {
        await app.put(_orchid, { _permissionprofileid: other }).expect(200);
        expect((await retry().expect(409)).body.code).toBe('PROFILE_TAKEN_AWAY');
      }
      await app.put(_orchid, { _permissionprofileid: profile }).expect(200);
      await retry().expect(200);
      expect(await app.untilStatus(owner, runId, 'ERROR')).toMatchObject({ _attempts: 2, _retriedby: 'sten' });
      await app.api.delete(`${ORCHESTRATORS}/${_orchid}?nsfilter=tower_1`).set(owner).expect(204);
      expect((await retry().expect(409)).body.code).toBe('ORCHESTRATOR_DELETED');
    });
  });
});

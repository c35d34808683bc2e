import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { RUNS, startAppWithOthers, step } from './start-app.js';

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
    others.refusedTokens.clear();
    others.will({ put: 200, statuses: ['LOADED'] });
  });

  it('who need not own the orchestrator, with one token for all steps', async () => {
    const run = await start();
    await app.untilStatus(owner, run.id, 'COMPLETED');
    const grant_type = 'urn:ietf:params:oauth:grant-type:token-exchange';
    expect(others.exchanges).toEqual([{ grant_type, subject: 'sten', subject_type: 'user' }]);
    expect(tokensSent()).toEqual(['Bearer token-1-of-sten']);
  });

  it("who may be an app; a trusted client has only its app's permissions", async () => {
    await app.grants.allow({ _type: 'app', _id: 'viewer' }, 'tower_1', '*:*:*', ['*']);
    for (const [appId, kind] of [
      ['viewer', 'app'],
      ['platform-services', 'trusted'],
    ] as const) {
      others.will({ put: 200, statuses: ['LOADED'] });
      const run = await start(await app.as(appId, kind));
      await app.untilStatus(owner, run.id, 'COMPLETED');
      expect(others.exchanges).toMatchObject([{ subject: appId, subject_type: 'app' }]);
      expect(tokensSent()).toEqual([`Bearer token-1-of-${appId}`]);
    }
  });

  it('without requesting a token when no step needs one', async () => {
    const run = await app.run(owner, (await app.create(owner, [step('wait', { ms: 0 })])).id);
    await app.untilStatus(owner, run.id, 'COMPLETED');
    expect(others.exchanges).toEqual([]);
  });

  it('and ends as ERROR, without a retry, when the starter was deactivated before a step', async () => {
    others.will({ put: 200, statuses: ['LOADED'], exchange: 'inactive' });
    expect(await failureOf(await start())).toBe(INACTIVE);
    expect(others.exchanges).toHaveLength(1);
    expect(others.calls).toEqual([]);
  });

  it('and ends as ERROR when the starter is deactivated during a step', async () => {
    others.will({ put: 200, statuses: ['LOADING'] });
    const run = await start();
    await eventually(() => expect(others.calls.length).toBeGreaterThan(1));
    others.refusedTokens.add('token-1-of-sten');
    others.will({ put: 200, statuses: ['LOADING'], exchange: 'inactive' });
    expect(await failureOf(run)).toBe(INACTIVE);
  });

  it('and continues with a new token when the current one is rejected', async () => {
    others.will({ put: 200, statuses: ['LOADING'] });
    const run = await start();
    await eventually(() => expect(others.calls.length).toBeGreaterThan(1));
    others.refusedTokens.add('token-1-of-sten');
    await eventually(() => expect(tokensSent()).toEqual(['Bearer token-1-of-sten', 'Bearer token-2-of-sten']));
    others.will({ put: 200, statuses: ['LOADED'] });
    await app.untilStatus(owner, run.id, 'COMPLETED');
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
});

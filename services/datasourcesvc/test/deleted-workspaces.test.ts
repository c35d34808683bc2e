import { afterAll, describe, expect, it } from '@jest/globals';
import { createOutbox } from '@dtplatform/queue';
import { eventually } from '@dtplatform/testing';
import { namespaceJobs } from '../src/orchrun/orchrun.module.js';
import { slowComponent } from './slow-component.js';
import { ORCHESTRATORS, startApp, step } from './start-app.js';

const [NS, OTHER] = ['tower_1', 'bridge_2'] as const;

const { slow, began, aborted } = slowComponent();

const app = await startApp({ components: [slow], namespaces: [NS, OTHER] });
const { owner } = app;
await app.startWorker();
afterAll(() => app.stop());

describe('a deleted workspace', () => {
  const count = (collection: string, filter: object = {}) => app.mongo.db.collection(collection).countDocuments(filter);
  const announce = (...namespaces: string[]) =>
    app.mongo.transaction((session) =>
      createOutbox(app.mongo).put(session, namespaceJobs.messages['workspace.deleted.v1'], {
        _id: 'a'.repeat(24),
        _namespaces: namespaces,
      }),
    );
  const isEmpty = async () => {
    expect(await count('orchestrators', { _namespaces: NS })).toBe(0);
    expect(await count('orchestrator_runs', { _namespaces: NS })).toBe(0);
    expect(await count('outbox', { name: 'workspace.deleted.v1' })).toBe(0);
  };
  const create = async (key: string, _namespaces: string[], more: object = {}) =>
    (await app.create(owner, [step('slow', { key })], { _namespaces, ...more })).id as string;
  const start = async (key: string, orchestratorId: string, namespace: string) => {
    const { body } = await app.start(orchestratorId, owner, namespace).expect(200);
    await eventually(() => expect(began).toContain(key));
    return body.id as string;
  };

  it('loses its orchestrators and runs; running ones stop', async () => {
    const ended = await app.run(owner, (await app.create(owner, [step('wait', { ms: 0 })])).id);
    await app.untilStatus(owner, ended.id, 'COMPLETED');
    const running = await start('running', await create('running', [NS]), NS);
    const calls = app.mongo.db.collection<{ _id: string }>('component_calls');
    await calls.insertMany([ended.id, running, 'another'].map((_runId, n) => ({ _id: `call${n}`, _runId })));
    await announce(NS);
    await eventually(isEmpty);
    // Sooner than the next heartbeat, which would notice it too.
    await eventually(() => expect(aborted).toContain('running'), { timeoutMs: 3_000 });
    expect(await count('orchestrators')).toBe(0);
    expect(await count('orchestrator_runs')).toBe(0);
    expect(await calls.distinct('_runId')).toEqual(['another']);
  });

  it('keeps orchestrators that are also in another workspace, without its own schedules; their runs there continue', async () => {
    const scheduled = { _class: 'SCHEDULED', _orchschedule: { runinterval: '1 * *' } };
    const shared = await create('shared', [NS, OTHER], scheduled);
    const here = await start('shared', shared, NS);
    began.clear();
    const there = await start('shared', shared, OTHER);
    const path = `${ORCHESTRATORS}/${shared}?nsfilter=${OTHER}`;
    const before = (await app.api.get(path).set(owner).expect(200)).headers.etag;

    await announce(NS);
    await eventually(isEmpty);
    await eventually(() => expect(aborted).toContain('shared'), { timeoutMs: 3_000 });
    expect(await app.getRun(owner, here, OTHER)).toMatchObject({ _status: 'CANCELLED', _namespaces: [OTHER] });
    expect(await app.getRun(owner, there, OTHER)).toMatchObject({ _status: 'RUNNING', _namespaces: [OTHER] });
    const { body, headers } = await app.api.get(path).set(owner).expect(200);
    expect(body).toMatchObject({ id: shared, _namespaces: [OTHER], _class: 'NORMAL' });
    expect(body).not.toHaveProperty('_orchschedule');
    expect(headers.etag).not.toBe(before);
  });

  it('with several namespaces may be announced repeatedly', async () => {
    await Promise.all(Array.from({ length: 105 }, (_, n) => create(`${n}`, [NS, OTHER])));
    await Promise.all([announce(NS), announce(NS, OTHER), announce(NS, OTHER)]);
    await eventually(async () => {
      await isEmpty();
      expect(await count('orchestrators')).toBe(0);
      expect(await count('orchestrator_runs')).toBe(0);
    });
  });
});

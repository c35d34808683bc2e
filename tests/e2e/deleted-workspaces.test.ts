import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { enter, openWorkspace, trustedToken, type Person } from './support/people.js';
import { send } from './support/platform.js';
import { createOrchestrator, fillNamespace, uploadFile, type Resource } from './support/resources.js';

const WORKSPACES = '/passportsvc/api/v1/workspaces';
const FILES = '/filesvc/api/v1/files';
const RUNS = '/datasourcesvc/api/v1/orchrun';
const FILE_COUNT = '/metricsvc/api/v1/metrics/dtplatform.filesvc.FileCount';
const PERMISSIONS = '/objectmodelsvc/api/v1/permissions';

interface Workspace {
  _id: string;
  _namespaces: string[];
}

describe('a deleted workspace', () => {
  let owner: Person;
  /** Still sees the remaining data. */
  let platform: string;
  let namespace: string;
  let elsewhere: string;
  let shared: string;
  let run: string;
  let resources: Resource[];

  const remaining = (path: string, query: Record<string, string> = { nsfilter: namespace }) =>
    send('GET', path, { token: platform, query });
  const wait = { timeoutMs: 30_000 };

  beforeAll(async () => {
    [owner, platform] = [await enter(), await trustedToken()];
    [namespace, elsewhere] = [await openWorkspace(owner), await openWorkspace(owner)];
    resources = await fillNamespace(owner, namespace);
    shared = await uploadFile(owner, namespace, { content: 'shared', also: [elsewhere] });
    const tasks = [{ _orchcomp: 'wait', _sequenceno: 1, _name: 'wait', _actualparams: { ms: 60_000 } }];
    const orchestrator = await createOrchestrator(owner, namespace, tasks);
    const path = `/datasourcesvc/api/v1/orchestrators/${orchestrator}/run`;
    run = (await send('POST', path, { token: owner.token, query: { nsfilter: namespace } })).body.id as string;
    await eventually(async () => {
      expect((await remaining(`${RUNS}/${run}`)).body[0]._status).toBe('RUNNING');
      expect((await remaining(FILE_COUNT, { namespace })).body.metrics[0].value).toBe(1);
    }, wait);
    for (const { path, query } of resources) expect((await remaining(path, query)).status).toBe(200);
  });

  it('is inaccessible at once, and its data is removed from all services', async () => {
    const workspaces = (await send('GET', WORKSPACES, { token: owner.token })).body._list as Workspace[];
    const { _id } = workspaces.find(({ _namespaces }) => _namespaces.includes(namespace))!;
    expect((await send('DELETE', `${WORKSPACES}/${_id}`, { token: owner.token })).status).toBe(204);
    for (const { path, query } of resources) {
      expect((await send('GET', path, { token: owner.token, query })).status).toBe(404);
    }
    expect((await send('GET', `${WORKSPACES}/${_id}`, { token: owner.token })).status).toBe(404);

    for (const { path, query } of resources) {
      await eventually(async () => expect((await remaining(path, query)).status).toBe(404), wait);
    }
    await eventually(async () => expect((await remaining(`${RUNS}/${run}`)).status).toBe(404), wait);
    const lists = [FILES, '/itemsvc/api/v1/nameduseritems', '/datasourcesvc/api/v1/orchestrators', RUNS];
    for (const list of lists) {
      await eventually(async () => {
        const { body } = await remaining(list, { nsfilter: namespace, _namespaces: namespace });
        expect([list, body._total]).toEqual([list, 0]);
      }, wait);
    }
    const held = { patternmatch: 'true', '_resourceDesc._irn': '*:*:*', '_user._type': 'user', '_user._id': owner.id };
    const permissions = await remaining(PERMISSIONS, { ...held, _namespace: namespace });
    expect(permissions).toMatchObject({ status: 200, body: { _total: 0 } });
  });

  it('leaves resources that are also elsewhere, and correct metrics', async () => {
    const query = { nsfilter: elsewhere };
    await eventually(async () => {
      const { body } = await send('GET', `${FILES}/${shared}`, { token: owner.token, query });
      expect(body._namespaces).toEqual([elsewhere]);
    }, wait);
    const content = await send('GET', `${FILES}/${shared}/content`, { token: owner.token, query });
    expect(content).toMatchObject({ status: 200, body: 'shared' });
    await eventually(async () => {
      expect((await remaining(FILE_COUNT, { namespace })).body.metrics[0]?.value ?? 0).toBe(0);
      expect((await remaining(FILE_COUNT, { namespace: elsewhere })).body.metrics[0].value).toBe(1);
    }, wait);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOutbox } from '@dtplatform/queue';
import { eventually } from '@dtplatform/testing';
import { itemJobs } from '../src/nameduseritems/nameduseritems.module.js';
import { itemClient, ITEMS, NS, OTHER } from './item-client.js';
import { API, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const CONFIGS = `${API}/telemetryconfigs`;

describe('a deleted workspace', () => {
  let app: TestApp;
  let owner: { authorization: string };
  const here = itemClient(() => ({ app, owner }));
  const there = itemClient(() => ({ app, owner }), OTHER);

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
    await app.caller('olga', OTHER);
    await app.startWorker();
  });
  afterAll(() => app.stop());

  const count = (collection: string, filter: object = {}) => app.mongo.db.collection(collection).countDocuments(filter);
  const announce = (...namespaces: string[]) =>
    app.mongo.transaction((session) =>
      createOutbox(app.mongo).put(session, itemJobs.messages['workspace.deleted.v1'], {
        _id: 'a'.repeat(24),
        _namespaces: namespaces,
      }),
    );
  const createConfig = (shortName: string, _namespaces: string[], by = { ...owner, nsfilter: OTHER }) =>
    app.api
      .post(CONFIGS)
      .query({ nsfilter: by.nsfilter })
      .set('authorization', by.authorization)
      .send({
        _name: 'Sensors',
        _shortName: shortName,
        _description: 'Sensors of the tower.',
        _userType: 'iot_config',
        _namespaces,
        _configData: {
          _bindings: [{ collectionDesc: { _userItemId: 'temperature_1' }, query: { deviceType: 'thermo' } }],
          _normalizationScript: { _userType: 'normalize' },
        },
      })
      .expect(202);

  it('loses its items and telemetry configurations; what is in other namespaces stays there', async () => {
    const gone = await here.createOne();
    const version = { _version: { _userAttributes: {}, _userData: {} } };
    await app.api.post(`${ITEMS}/${gone._id}/versions`).query({ nsfilter: NS }).set(owner).send(version);
    await app.api
      .post(`${ITEMS}/${gone._id}/relateditems`)
      .query({ nsfilter: NS })
      .set(owner)
      .send([{ door: 1 }, { door: 2 }])
      .expect(201);
    const shared = await here.createOne({ _namespaces: [NS, OTHER] });
    const other = await there.createOne({ _namespaces: [OTHER] });
    await createConfig('shared', [NS, OTHER]);
    await createConfig('other', [OTHER]);
    await eventually(async () => expect(await count('telemetry_configs')).toBe(2));

    await announce(NS);
    await eventually(async () => {
      expect(await count('items', { _namespaces: NS })).toBe(0);
      expect(await count('related_items')).toBe(0);
      expect(await count('item_versions', { _userItemDbId: gone._id })).toBe(0);
      expect(await count('telemetry_configs', { _namespaces: NS })).toBe(0);
      expect(await count('telemetry_config_names', { _id: /^tower/ })).toBe(0);
    });
    await there.get(shared._id as string).expect(200);
    await there.get(other._id as string).expect(200);
    expect(await count('telemetry_configs', { _namespaces: OTHER })).toBe(2);
    // Totals and metrics follow.
    await eventually(async () => expect((await here.list().expect(200)).body._total).toBe(0));
    expect((await there.list().expect(200)).body._total).toBe(2);
  });

  it('takes its tasks along: nobody who holds nothing there any more can read them, and then they are gone', async () => {
    const [gone, shared] = ['gone_1', 'shared_1'];
    const starter = await app.caller('tina', gone);
    await app.caller('tina', shared);
    const started = async (shortName: string, namespaces: string[]) => {
      const { headers } = await createConfig(shortName, namespaces, { ...starter, nsfilter: gone });
      return headers.location!;
    };
    const [first, second] = [await started('first', [gone]), await started('second', [gone, shared])];
    const read = (path: string) => app.api.get(path).set(starter);
    for (const path of [first, first.replace('telemetry_async_tasks', 'asynctasks'), second]) {
      await read(path).expect(200);
    }
    await app.grants.close([gone]);
    await read(first).expect(404);
    await read(first.replace('telemetry_async_tasks', 'asynctasks')).expect(404);
    expect((await read(second).expect(200)).body._namespaces).toEqual([gone, shared]);

    await announce(gone);
    await eventually(async () => expect(await count('async_tasks', { _namespaces: gone })).toBe(0));
    expect((await read(second).expect(200)).body._namespaces).toEqual([shared]);
    await announce(shared);
    await eventually(async () => expect(await count('telemetry_configs', { _namespaces: shared })).toBe(0));
  });

  it('may be announced more than once', async () => {
    await announce(NS);
    await announce(NS);
    await eventually(async () => expect(await count('outbox', { name: 'workspace.deleted.v1' })).toBe(0));
    await here.createOne();
    await announce(NS);
    await eventually(async () => expect(await count('items', { _namespaces: NS })).toBe(0));
  });

  it('with several namespaces loses what is in all of them', async () => {
    await here.createOne({ _namespaces: [NS, OTHER] });
    await createConfig('both', [NS, OTHER]);
    await eventually(async () => expect(await count('telemetry_configs', { _namespaces: NS })).toBe(1));
    await announce(NS, OTHER);
    await eventually(async () => {
      for (const name of ['items', 'telemetry_configs', 'telemetry_config_names']) expect(await count(name)).toBe(0);
    });
    await eventually(async () => expect((await there.list().expect(200)).body._total).toBe(0));
  });
});

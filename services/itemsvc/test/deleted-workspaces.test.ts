import { describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { itemClient } from './item-client.js';
import type { Shown } from './item-client.js';
import { NS, openApp, OTHER } from './start-app.js';
import { configDraft, CONFIGS, telemetryClient } from './telemetry-client.js';

const here = await openApp(NS, OTHER);
const { app, owner } = here;
const [client, elsewhere] = [itemClient(here), itemClient(here, OTHER)];
const { send, accepted } = telemetryClient(here);
await app.startWorker();

const count = (name: string, filter: object = {}) => app.stored(name).countDocuments(filter);
const createConfig = (_namespaces: string[], nsfilter = OTHER, by = owner) =>
  accepted(send('post', CONFIGS, { nsfilter }, by).send(configDraft({ _namespaces })));

describe('deleting a workspace', () => {
  it('removes its items and telemetry configurations, but keeps those of other namespaces', async () => {
    const gone: Shown = await client.createOne();
    await client.addVersion(gone._id);
    await client.addRows(gone._id, [{ door: 1 }, { door: 2 }]);
    const shared = await client.createOne({ _namespaces: [NS, OTHER] });
    const other = await elsewhere.createOne({ _namespaces: [OTHER] });
    await createConfig([NS, OTHER]);
    await createConfig([OTHER]);
    await eventually(async () => expect(await count('telemetry_configs')).toBe(2));

    await app.announce(NS);
    await eventually(async () => {
      expect(await count('items', { _namespaces: NS })).toBe(0);
      expect(await count('related_items')).toBe(0);
      expect(await count('item_versions', { _userItemDbId: gone._id })).toBe(0);
      expect(await count('telemetry_configs', { _namespaces: NS })).toBe(0);
      expect(await count('telemetry_config_names', { _id: /^tower/ })).toBe(0);
    });
    for (const { _id } of [shared, other]) await elsewhere.get(_id).expect(200);
    expect(await count('telemetry_configs', { _namespaces: OTHER })).toBe(2);
    await eventually(async () => expect((await client.list().expect(200)).body._total).toBe(0));
    expect((await elsewhere.list().expect(200)).body._total).toBe(2);
  });

  it('hides its tasks from callers without other permissions, and then removes them', async () => {
    const [gone, shared] = ['gone_1', 'shared_1'];
    const starter = await app.caller('tina', gone);
    await app.caller('tina', shared);
    const first = await createConfig([gone], gone, starter);
    const second = await createConfig([gone, shared], gone, starter);
    const alias = first.replace('telemetry_async_tasks', 'asynctasks');
    const read = (path: string) => send('get', path, {}, starter);
    for (const path of [first, alias, second]) await read(path).expect(200);
    await app.grants.close([gone]);
    for (const path of [first, alias]) await read(path).expect(404);
    expect((await read(second).expect(200)).body._namespaces).toEqual([gone, shared]);

    await app.announce(gone);
    await eventually(async () => expect(await count('async_tasks', { _namespaces: gone })).toBe(0));
    expect((await read(second).expect(200)).body._namespaces).toEqual([shared]);
    await app.announce(shared);
    await eventually(async () => expect(await count('telemetry_configs', { _namespaces: shared })).toBe(0));
  });

  it('with several namespaces removes what is only in these, however often it is announced', async () => {
    for (let round = 0; round < 2; round++) {
      await client.createOne({ _namespaces: [NS, OTHER] });
      await createConfig([NS, OTHER]);
      await eventually(async () => expect(await count('telemetry_configs', { _namespaces: NS })).toBe(1));
      await Promise.all([app.announce(NS, OTHER), app.announce(NS, OTHER)]);
      await eventually(async () => {
        for (const name of ['items', 'telemetry_configs', 'telemetry_config_names']) expect(await count(name)).toBe(0);
        expect(await count('outbox', { name: 'workspace.deleted.v1' })).toBe(0);
      });
    }
    await eventually(async () => expect((await elsewhere.list().expect(200)).body._total).toBe(0));
  });
});

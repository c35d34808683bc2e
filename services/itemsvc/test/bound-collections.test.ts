import { afterAll, beforeAll, beforeEach, describe, it } from '@jest/globals';
import { doors, ITEMS, NS, OTHER } from './item-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { configDraft, CONFIGS, telemetryClient } from './telemetry-client.js';

const CONFIG = 'itemsvc:telemetryconfig:*';

describe('collections that telemetry configurations name', () => {
  let app: TestApp;
  let owner: { authorization: string };
  let collection: { _id: string; _userItemId: string; _irn: string };
  let callers = 0;
  const { send, createConfig } = telemetryClient(() => ({ app, owner }));

  /** May do everything with configurations, and this with the items of an irn. */
  const author = async (actions: ('READ' | 'CREATE')[], irn: string) => {
    const id = `author${(callers += 1)}`;
    await app.caller(id, NS, ['*'], CONFIG);
    return app.caller(id, NS, actions, irn);
  };
  const bindingTo = (...ids: string[]) => ({
    _configData: {
      _bindings: ids.map((_userItemId) => ({ collectionDesc: { _userItemId }, query: { deviceType: 'thermo' } })),
      _normalizationScript: { _userType: 'normalize' },
    },
  });
  const post = (by: { authorization: string }, ...ids: string[]) =>
    send('post', CONFIGS, { nsfilter: NS }, by).send(configDraft(bindingTo(...ids)));

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
    await app.caller('olga', OTHER);
    await app.startWorker();
  });
  beforeEach(async () => {
    const draft = doors({ _itemClass: 'NamedTelemetryCollection', _namespaces: [NS] });
    const response = await app.api.post(ITEMS).query({ nsfilter: NS }).set(owner).send([draft]).expect(201);
    collection = response.body._list[0];
  });
  afterAll(() => app.stop());

  it('need the right to create their related items', async () => {
    await post(await author(['READ'], '*:*:*'), collection._userItemId).expect(403);
    await post(
      await author(['CREATE'], 'itemsvc:nameduseritem:6b01e9fb590ff35d0952a9ce'),
      collection._userItemId,
    ).expect(403);
    await post(await author(['READ', 'CREATE'], collection._irn), collection._userItemId).expect(202);
  });

  it('may be missing', async () => {
    await post(await author(['READ'], '*:*:*'), 'missing_1').expect(202);
  });

  it('need it when a change adds them, or a namespace', async () => {
    const [before, _shortName] = [bindingTo('missing_2'), `bound${callers}`];
    const config = await createConfig({ ...before, _shortName });
    const editor = await author(['READ'], '*:*:*');
    const put = (change: object, by = editor) =>
      send('put', `${CONFIGS}/${config._id}`, { nsfilter: NS }, by).send({ _name: 'n', _shortName, ...change });
    await put(bindingTo('missing_2', collection._userItemId)).expect(403);
    await put(before).expect(202);
    await put(bindingTo('missing_2', collection._userItemId), owner).expect(202);
  });

  it('need it in the namespace that a change adds', async () => {
    const draft = doors({ _itemClass: 'NamedTelemetryCollection', _namespaces: [OTHER] });
    const response = await app.api.post(ITEMS).query({ nsfilter: OTHER }).set(owner).send([draft]).expect(201);
    const config = await createConfig(bindingTo(response.body._list[0]._userItemId));
    const editor = await author(['READ'], '*:*:*');
    await app.caller(`author${callers}`, OTHER, ['*'], CONFIG);
    const change = { _name: 'n', _shortName: config._shortName, _namespaces: [NS, OTHER] };
    const put = (by: { authorization: string }) =>
      send('put', `${CONFIGS}/${config._id}`, { nsfilter: NS }, by).send(change);
    await put(editor).expect(403);
    await put(owner).expect(202);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ingestionClient, message } from './ingestion-client.js';
import { ITEMS, NS, OTHER } from './item-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { CONFIGS } from './telemetry-client.js';

describe('dead letters', () => {
  let app: TestApp;
  let owner: { authorization: string };
  const { send, outcome, installation, post, readings, letters } = ingestionClient(() => ({ app, owner }));

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
    await app.caller('olga', OTHER);
    await app.startWorker();
  });
  afterAll(() => app.stop());

  it('are replayed or deleted', async () => {
    const { collection, config } = await installation();
    await outcome(
      post(
        config._id,
        [1, 2, 3, 4].map((n) => message(`late${n}`, [n])),
      ),
    );
    const all = await letters(config._id);
    expect(all._list.map(({ _message }: { _message: { device: string } }) => _message.device)).toEqual([
      'late4',
      'late3',
      'late2',
      'late1',
    ]);
    expect(await letters(config._id, { _pageSize: 1, _offset: 1 })).toMatchObject({
      _total: 4,
      _list: [{ _id: all._list[1]._id }],
    });
    await send('post', `${ITEMS}/${collection._id}/relateditems`)
      .send([1, 2, 3].map((n) => ({ _sourceId: `late${n}` })))
      .expect(201);
    const path = `${CONFIGS}/${config._id}/deadletters`;
    const replay = (body: object, query: object = { nsfilter: NS }) => send('post', `${path}/replay`, query).send(body);
    expect((await outcome(replay({ _ids: [all._list[3]._id] }))).body).toEqual({ _total: 1, _deadLetters: 0 });
    expect(await readings(collection._id)).toMatchObject([{ value: 1 }]);
    await send('delete', `${path}/${all._list[2]._id}`).expect(204);
    await send('delete', `${path}/${all._list[2]._id}`).expect(404);
    expect((await outcome(replay({}))).body).toEqual({ _total: 2, _deadLetters: 1 });
    // Both may have the same time.
    const values = (await readings(collection._id)).map(({ value }: { value: number }) => value);
    expect(values.sort()).toEqual([1, 3]);
    const [left] = (await letters(config._id))._list;
    await send('delete', path, { nsfilter: NS, _ids: left._id }).expect(204);
    await replay({}).expect(404);
    await replay({ _ids: ['x'] }).expect(400);
    await send('delete', path).expect(400);
  });

  it('need READ on the configuration, and EDIT for changes; messages need CREATE', async () => {
    const { config } = await installation();
    const reader = await app.caller('rita', NS, ['READ'], config._irn);
    const device = await app.caller('dora', NS, ['READ', 'CREATE'], config._irn);
    const stranger = await app.caller('sam', OTHER);
    await post(config._id, [message('a')], reader).expect(403);
    await post(config._id, [message('a')], stranger).expect(404);
    await post(config._id, [message('a')], device).expect(202);
    const path = `${CONFIGS}/${config._id}/deadletters`;
    await send('get', path, { nsfilter: NS }, reader).expect(200);
    await send('get', path, { nsfilter: NS }, stranger).expect(404);
    await send('post', `${path}/replay`, { nsfilter: NS }, device).send({}).expect(403);
    await send('delete', `${path}/${'f'.repeat(24)}`, { nsfilter: NS }, device).expect(403);
  });
});

import { describe, expect, it } from '@jest/globals';
import { ingestionClient, message } from './ingestion-client.js';
import { itemClient } from './item-client.js';
import { NS, openApp } from './start-app.js';
import { CONFIGS } from './telemetry-client.js';

const here = await openApp(NS);
const { addRows } = itemClient(here);
const { send, outcome, installation, post, valuesOf, letters } = ingestionClient(here);
await here.app.startWorker();

describe('dead letters', () => {
  it('are listed newest first, replayed and deleted', async () => {
    const { collection, config } = await installation();
    const sent = [1, 2, 3, 4].map((n) => message(`late${n}`, [n]));
    await outcome(post(config._id, sent));
    const all = await letters(config._id);
    expect(all._list).toMatchObject(sent.toReversed().map((_message) => ({ _message })));
    const page = await letters(config._id, { _pageSize: 1, _offset: 1 });
    expect(page).toMatchObject({ _total: 4, _list: [{ _id: all._list[1]._id }] });
    await addRows(
      collection._id,
      [1, 2, 3].map((n) => ({ _sourceId: `late${n}` })),
    );
    const path = `${CONFIGS}/${config._id}/deadletters`;
    const replay = (body: object) => send('post', `${path}/replay`).send(body);
    expect((await outcome(replay({ _ids: [all._list[3]._id] }))).body).toEqual({ _total: 1, _deadLetters: 0 });
    expect(await valuesOf(collection._id)).toEqual([1]);
    await send('delete', `${path}/${all._list[2]._id}`).expect(204);
    await send('delete', `${path}/${all._list[2]._id}`).expect(404);
    expect((await outcome(replay({}))).body).toEqual({ _total: 2, _deadLetters: 1 });
    // Both may have arrived at the same time.
    expect((await valuesOf(collection._id)).sort()).toEqual([1, 3]);
    const [left] = (await letters(config._id))._list;
    await send('delete', path, { nsfilter: NS, _ids: left._id }).expect(204);
    await replay({}).expect(404);
    await replay({ _ids: ['x'] }).expect(400);
    await send('delete', path).expect(400);
  });
});

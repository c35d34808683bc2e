import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { indexClient } from './index-client.js';
import { itemClient, NS } from './item-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

let app: TestApp;
let owner: { authorization: string };
const client = itemClient(() => ({ app, owner }));
const { send, addTo, list, found, indexed } = indexClient(() => ({ app, owner }));

beforeAll(async () => {
  app = await startApp();
  owner = await app.caller('olga', NS);
  await app.startWorker();
});
afterAll(() => app.stop());

describe('$text', () => {
  it('finds what the text index of the collection contains, in the version of the call', async () => {
    const { _id, _tipId, _userItemId } = await client.createOne();
    await addTo(_id, [
      { title: 'Fire doors of the tower', note: 'checked' },
      { title: 'Windows', note: ['a fire escape', { deep: 'door' }], tags: ['fire'] },
      { title: 'Walls', note: { text: 'fire' } },
    ]);
    const search = ($search: string, query: object = {}) => found(_id, { query: { $text: { $search } } }, query);
    const distinct = async () => {
      const query = { $text: { $search: 'fire' } };
      const $distinctRelatedItemFields = { collectionDesc: { _userItemId }, query, fields: ['title'] };
      const { body } = await send('post', 'search').send({ $distinctRelatedItemFields }).expect(200);
      return body._list[0]._versions[0]._relatedItems._list[0].title as string[];
    };
    expect((await list(_id, { query: { $text: { $search: 'fire' } } }).expect(400)).body.code).toBe(
      'TEXT_INDEX_MISSING',
    );
    await indexed(_id, { key: { title: 'text', note: 'text' } });
    expect((await search('fire'))._list.map(({ title }) => title)).toEqual(['Fire doors of the tower', 'Windows']);
    expect(await distinct()).toEqual(['Fire doors of the tower', 'Windows']);
    expect((await search('door'))._total).toBe(1);
    expect((await search('"fire escape"'))._total).toBe(1);
    expect((await search('fire -windows'))._total).toBe(1);
    await addTo(_id, [{ title: 'A fire extinguisher', n: 1 }]);
    const both = await found(_id, { query: { $text: { $search: 'fire' }, n: { $gte: 1 } }, sort: { title: -1 } });
    expect(both).toMatchObject({ _total: 1, _list: [{ n: 1 }] });
    await send('post', `${_id}/versions`).send({}).expect(201);
    expect((await search('fire'))._total).toBe(0);
    expect((await search('fire', { userItemVersionId: _tipId }))._total).toBe(3);
    await list(_id, { query: { $text: { $search: 'fire', $language: 'klingon' } } }).expect(400);
    await list(_id, { query: { $or: [{ $text: { $search: 'fire' } }, { n: 1 }] } }).expect(400);
  });

  it('finds nothing of other collections, tenants or related items that the caller may not read', async () => {
    const [mine, theirs] = [await client.createOne(), await client.createOne()];
    for (const { _id } of [mine, theirs]) await indexed(_id, { key: { title: 'text' } });
    await addTo(mine._id, [{ title: 'secret' }]);
    await addTo(theirs._id, [
      { title: 'secret', color: 'red' },
      { title: 'secret', color: 'blue' },
    ]);
    const query = { query: { $text: { $search: 'secret' } } };
    expect((await found(mine._id, query))._total).toBe(1);
    const _resourceDesc = {
      _irn: `itemsvc:nameduseritem:${theirs._id}`,
      _subresourceDesc: { _type: 'relateditem' as const, _criteria: { color: 'red' } },
    };
    const _user = { _type: 'user' as const, _id: 'sara' };
    await app.grants.grant([{ _namespace: NS, _resourceDesc, _user, _actions: ['READ'] }]);
    const sara = { authorization: await app.as('sara') };
    const reply = await send('get', `${theirs._id}/relateditems`, { query: JSON.stringify(query.query) }, sara);
    expect([reply.status, reply.body._list]).toMatchObject([200, [{ color: 'red' }]]);
    await send('get', `${mine._id}/relateditems`, { query: JSON.stringify(query.query) }, sara).expect(404);
  });
});

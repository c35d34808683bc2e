import { expect } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { createResponseLinks } from '../../src/asynctasks/async-tasks.js';
import { createLinkKey } from '../../src/asynctasks/async-tasks.store.js';
import { API, NS } from '../start-app.js';
import { firstOf } from './story.js';
import type { Listed, Named, Story } from './story.js';

export interface Rooms {
  collection: Named;
  plant: Listed;
}

export async function keepItems({ app, create, send, call, keep }: Story): Promise<Named> {
  const { reply, item } = await create({
    ...{ _name: 'Rooms', _shortName: 'rooms', _description: 'The rooms of Harbour Tower' },
    ...{ _userType: 'rooms', _itemClass: 'NamedUserCollection' },
    _version: { _userAttributes: { source: 'survey of 2025' } },
  });
  keep('items.create', reply);
  const trusted = { authorization: await app.as('platform', 'trusted') };
  keep('usage.recount', await call('get', '/usage', { namespace: NS }).set(trusted).expect(200));
  keep('items.list', await send('get', '', { query: JSON.stringify({ _userType: 'rooms' }) }).expect(200));
  keep('items.get', await send('get', `/${item._id}`).expect(200));
  return item;
}

export async function keepRooms({ send, keep }: Story, collection: Named): Promise<Rooms> {
  const path = `/${collection._id}/relateditems`;
  const created = await send('post', path).send([
    { name: 'Lobby', floor: 0, areaSqm: 240 },
    { name: 'Plant room', floor: -1, areaSqm: 85 },
  ]);
  keep('relatedItems.create', created);
  const [, plant] = created.body._list as [Listed, Listed];
  const offices = [3, 4].map((floor) => ({ name: `Office ${floor}.01`, floor, areaSqm: 36 }));
  keep('relatedItems.createMany', await send('post', `${path}/bulk`).send(offices).expect(201));
  const query = { query: JSON.stringify({ floor: { $gte: 0 } }), sort: JSON.stringify({ floor: 1 }) };
  keep('relatedItems.list', await send('get', path, query).expect(200));
  keep('relatedItems.get', await send('get', `${path}/${plant._id}`).expect(200));
  const change = { name: 'Plant room', floor: -1, areaSqm: 92 };
  keep('relatedItems.update', await send('put', `${path}/${plant._id}`).send(change).expect(200));
  return { collection, plant };
}

export async function keepVersions({ create, send, keep }: Story): Promise<Named> {
  const { item } = await create({
    ...{ _name: 'Harbour Tower', _shortName: 'tower', _description: 'Offices on 24 floors' },
    ...{ _userType: 'building', _itemClass: 'NamedCompositeItem' },
    _version: { _userAttributes: { heating: 'gas' } },
  });
  const path = `/${item._id}/versions`;
  const next = { _userAttributes: { heating: 'district heating' } };
  const created = await send('post', path).send(next).expect(201);
  keep('versions.create', created);
  const version = `${path}/${(created.body as Listed)._id}`;
  keep('versions.list', await send('get', path).expect(200));
  keep('versions.get', await send('get', version).expect(200));
  const corrected = { _userAttributes: { heating: 'district heating', since: 2026 } };
  keep('versions.update', await send('put', version).send(corrected).expect(201));
  keep('updateLogs.list', await send('get', `/${item._id}/updatelogs`).expect(200));
  return item;
}

export async function keepRelations({ send, keep }: Story, tower: Named, collections: Named[]): Promise<void> {
  const path = `/${tower._id}/relatedcollections`;
  const related = collections.map(({ _id }) => ({ _itemId: _id }));
  keep('relatedCollections.create', await send('post', path).send(related).expect(201));
  keep('relatedCollections.list', await send('get', path, { query: '{}' }).expect(200));
}

export async function keepIndexes({ send, keep }: Story, { collection }: Rooms): Promise<void> {
  const path = `/${collection._id}/indexes`;
  const wanted = [{ key: { floor: 1 }, options: { name: 'by-floor' } }];
  keep('indexes.create', await send('post', path).send(wanted).expect(201));
  const ready = await eventually(
    async () => {
      const listed = await send('get', path).expect(200);
      expect(listed.body._list).toMatchObject([{ _status: 'READY' }]);
      return listed;
    },
    { timeoutMs: 20_000 },
  );
  keep('indexes.list', ready);
}

export async function keepMany({ app, send, call, ended, keep, replace }: Story, { collection }: Rooms): Promise<void> {
  const lockers = Array.from({ length: 1001 }, (_, n) => ({ name: `Locker ${n + 1}`, floor: -2 }));
  const accepted = await send('post', `/${collection._id}/relateditems/bulk`).send(lockers).expect(202);
  await ended(accepted.headers.location!);
  const taskId = accepted.headers.location!.split('/').at(-1)!;
  keep('asyncTasks.get', await call('get', `/asynctasks/${taskId}`, {}).expect(200));
  const url = `${app.deps.config.BASE_URL}${API}/asynctasks`;
  const links = createResponseLinks({ url, key: createLinkKey(app.mongo) });
  const { pathname, search, searchParams } = new URL(await links.linkTo(taskId));
  replace(searchParams.get('expires')!, '1780000000');
  replace(searchParams.get('signature')!, 'the-signature');
  keep('asyncTasks.getResponse', await app.api.get(pathname + search).expect(200));
}

export async function keepPermissions({ call, keep, permissions: { entry, query } }: Story): Promise<void> {
  keep('permissions.put', await call('put', '/permissions', {}).send([entry]).expect(200));
  const listed = await call('get', '/permissions', query).expect(200);
  expect(firstOf(listed)).toMatchObject(entry);
  keep('permissions.list', listed);
}

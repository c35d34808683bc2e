import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { clientCredentials, createClient, waitForTask } from '@dtplatform/sdk';
import { dev } from '../support/platform.js';
import { enterWithSdk } from './support.js';
import type { Owner } from './support.js';

describe('calls with the SDK', () => {
  let owner: Owner;
  const { baseUrl } = dev;
  const newItem = () => ({
    ...{ _name: 'Rooms', _shortName: `r_${randomBytes(5).toString('hex')}`, _description: '', _userType: 'rooms' },
    ...{ _namespaces: [owner.namespace], _itemClass: 'NamedUserCollection' as const },
  });

  beforeAll(async () => {
    owner = await enterWithSdk();
  });

  it("act in the client's namespace", async () => {
    const { client, namespace } = owner;
    const page = await client.call('itemsvc.items.create', { body: [newItem()] });
    const [item] = page._list;
    expect(item!._namespaces).toEqual([namespace]);
    const read = await client.send('itemsvc.items.get', { path: { id: item!._id } });
    expect(read).toMatchObject({ status: 200, body: { _id: item!._id } });
    expect(read.headers.get('etag')).not.toBeNull();
    const deleted = await client.send('itemsvc.items.delete', { path: { id: item!._id } });
    expect([deleted.body, await waitForTask(client, deleted)]).toEqual([undefined, undefined]);
  });

  it('change resources only if they are unchanged', async () => {
    const { client, namespace } = owner;
    const [item] = (await client.call('itemsvc.items.create', { body: [newItem()] }))._list;
    const { headers } = await client.send('itemsvc.items.get', { path: { id: item!._id } });
    const update = () =>
      client.call('itemsvc.items.update', {
        path: { id: item!._id },
        headers: { 'If-Match': headers.get('etag')! },
        body: { _name: 'Other', _description: '', _userType: 'rooms', _namespaces: [namespace] },
      });
    await update();
    await expect(update()).rejects.toMatchObject({ status: 412 });
  });

  it('reject with the errors of SCIM and OAuth, too', async () => {
    const { client } = owner;
    await expect(client.call('passportsvc.users.get', { path: { id: 'f'.repeat(24) } })).rejects.toMatchObject({
      ...{ status: 403, code: 'HTTP_403', message: expect.stringContaining('only for') },
    });
    const auth = clientCredentials({ baseUrl, clientId: dev.appId, clientSecret: 'wrong' });
    await expect(auth.token()).rejects.toMatchObject({ status: 401, code: 'INVALID_CLIENT' });
  });

  it('wait for accepted work', async () => {
    const { client } = owner;
    const [item] = (await client.call('itemsvc.items.create', { body: [newItem()] }))._list;
    const body = Array.from({ length: 1500 }, (_, index) => ({ _sourceId: `s${index}`, number: index }));
    const response = await client.send('itemsvc.relatedItems.createMany', { path: { id: item!._id }, body });
    expect(response.status).toBe(202);
    const seen: string[] = [];
    const task = await waitForTask(client, response, { onProgress: ({ _status }) => seen.push(_status) });
    expect(task?._status).toBe('COMPLETED');
    expect(seen.at(-1)).toBe('COMPLETED');
    const page = await client.call('itemsvc.relatedItems.list', { path: { id: item!._id }, query: { _pageSize: 0 } });
    expect(page._total).toBe(1500);
  });

  it("are authorized by app credentials, or by the caller's token", async () => {
    const auth = clientCredentials({ baseUrl, clientId: dev.appId, clientSecret: dev.appSecret });
    const asApp = createClient({ baseUrl, auth });
    const [one, other] = await Promise.all([auth.token(), auth.token()]);
    expect(one).toBe(other);
    expect((await asApp.call('passportsvc.apps.list', { query: { _pageSize: 1 } }))._list).toHaveLength(1);
    const withToken = createClient({ baseUrl, auth: one });
    expect((await withToken.call('passportsvc.apps.list'))._total).toBeGreaterThan(0);
  });

  it('reject path parameters that would change the path', async () => {
    const { client } = owner;
    await expect(client.call('filesvc.files.get', { path: { id: '..' } })).rejects.toThrow(TypeError);
    await expect(client.open('https://elsewhere.example/file')).rejects.toThrow('is not the platform');
    await expect(createClient({ baseUrl }).call('filesvc.files.list')).rejects.toThrow('requires a namespace');
  });
});

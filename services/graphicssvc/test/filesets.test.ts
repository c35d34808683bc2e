import { describe, expect, it } from '@jest/globals';
import { FILESETS } from './start-app.js';
import { app, olga } from './stream-app.js';

const stan = { authorization: await app.as('stan') };

describe('file sets', () => {
  const post = (body: object, headers = olga, namespace = 'tower_1') =>
    app.api.post(`${FILESETS}?nsfilter=${namespace}`).set(headers).send(body);
  const get = (id: string, headers = olga) => app.api.get(`${FILESETS}/${id}?nsfilter=tower_1`).set(headers);
  const remove = (id: string, headers = olga) => app.api.delete(`${FILESETS}/${id}?nsfilter=tower_1`).set(headers);
  const list = (headers = olga) => app.api.get(`${FILESETS}?nsfilter=tower_1`).set(headers);
  const wanted = (more: object = {}) => ({
    _name: 'Tower',
    _namespaces: ['tower_1'],
    _fileIds: [app.files.add().id, app.files.add().id],
    ...more,
  });

  it('are created, read, listed and deleted', async () => {
    const body = wanted();
    const response = await post(body).expect(201);
    expect(response.body).toEqual({
      ...body,
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      _irn: `graphicssvc:fileset:${response.body._id}`,
      _metadata: expect.objectContaining({ _createdById: 'olga', _createdByName: 'Name of olga' }),
    });
    const read = await get(response.body._id).expect(200);
    expect(read.body).toEqual(response.body);
    for (const { headers } of [response, read]) expect(headers.etag).toBe('"0"');
    expect((await list().expect(200)).body).toMatchObject({ _total: 1, _list: [response.body] });
    await remove(response.body._id).expect(204);
    await get(response.body._id).expect(404);
    await remove(response.body._id).expect(404);
    expect((await list().expect(200)).body).toMatchObject({ _total: 0, _list: [] });
  });

  it('accept up to 1000 files, each named once', async () => {
    const ids = Array.from({ length: 1000 }, () => app.files.add().id);
    const { body } = await post({ _name: 'Large', _namespaces: ['tower_1', 'tower_1'], _fileIds: ids }).expect(201);
    expect(body).toMatchObject({ _namespaces: ['tower_1'], _fileIds: ids });
    const twice = await post(wanted({ _fileIds: [ids[0], ids[1], ids[0]] })).expect(201);
    expect(twice.body._fileIds).toEqual([ids[0], ids[1]]);
    await post(wanted({ _fileIds: [...ids, app.files.add().id] })).expect(400);
  });

  it('are listed if the caller may read them', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.push((await post(wanted()).expect(201)).body._id);
    await app.grants.allow('stan', 'tower_1', `graphicssvc:fileset:${ids[1]}`, ['READ']);
    expect((await list(stan).expect(200)).body).toMatchObject({ _total: 1, _list: [{ _id: ids[1] }] });
  });

  it('need CREATE in each of their namespaces', async () => {
    await post(wanted(), stan).expect(403);
    await app.grants.allow('stan', 'tower_1', 'graphicssvc:fileset:*', ['CREATE']);
    await post(wanted({ _namespaces: ['tower_1', 'bridge_2'] }), stan).expect(403);
    await app.grants.revoke('stan', 'tower_1');
  });

  it('accept only files that the caller may read in the namespace of the call', async () => {
    const hidden = app.files.add({ readers: ['stan'] });
    const elsewhere = app.files.add({ namespaces: ['bridge_2'] });
    const folder = app.files.add({ type: 'dir', isComplete: false });
    for (const id of [hidden.id, elsewhere.id, folder.id, 'f'.repeat(24), 'no-id']) {
      const { body } = await post(wanted({ _fileIds: [app.files.add().id, id] })).expect(404);
      expect(body.code).toBe('FILE_NOT_FOUND');
    }
  });

  it('are rejected unless the namespace of the call is one of theirs', async () => {
    const { body } = await post(wanted({ _namespaces: ['bridge_2'] })).expect(400);
    expect(body.code).toBe('NAMESPACE_NOT_LISTED');
  });

  it('are found in each of their namespaces, and deleted only in their home', async () => {
    const both = wanted({ _namespaces: ['tower_1', 'bridge_2'] });
    const [{ _id }, own] = [(await post(both).expect(201)).body, (await post(wanted()).expect(201)).body];
    const there = (id: string) => `${FILESETS}/${id}?nsfilter=bridge_2`;
    await app.api.get(there(_id)).set(olga).expect(200);
    await app.api.get(there(own._id)).set(olga).expect(404);
    await app.api.delete(there(own._id)).set(olga).expect(404);
    await app.grants.allow('stan', 'bridge_2', `graphicssvc:fileset:${_id}`, ['READ', 'DELETE']);
    await remove(_id, stan).expect(403);
    const outdated = { ...stan, 'if-match': '"7"' };
    await app.api.delete(there(_id)).set(outdated).expect(412);
    // Elsewhere, DELETE only removes it from that namespace.
    await app.api.delete(there(_id)).set(stan).expect(204);
    await app.api.get(there(_id)).set(olga).expect(404);
    const left = await get(_id).expect(200);
    expect(left.body._namespaces).toEqual(['tower_1']);
    await app.grants.revoke('stan', 'bridge_2');
    await app.grants.allow('stan', 'tower_1', `graphicssvc:fileset:${_id}`, ['READ', 'DELETE']);
    await remove(_id, stan).expect(204);
    await app.grants.revoke('stan', 'tower_1');
  });
});

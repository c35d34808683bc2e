import { afterAll, describe, expect, it } from '@jest/globals';
import { creator, requests } from './requests.js';
import { FILES, NS, startApp } from './start-app.js';

const app = await startApp();
const olga = requests(app, app.olga);
afterAll(() => app.stop());

describe('a folder', () => {
  const { folder, file } = creator(olga);

  it('is created from query parameters', async () => {
    const { body } = await olga.folder('plans', { _tags: 'a,b' }).expect(200);
    expect(body).toMatchObject({
      _name: 'plans',
      _type: 'dir',
      _irn: `filesvc:file:${body._id}`,
      _parents: [],
      _namespaces: [NS],
      _tags: ['a', 'b'],
      _metadata: { _createdById: 'olga', _createdByName: 'Name of olga', _createdAt: expect.any(Number) },
    });
    expect(body).not.toHaveProperty('internal');
    const read = await olga.get(`/${body._id}`).expect(200);
    expect(read.body).toEqual(body);
    const head = await app.api.head(`${FILES}/${body._id}`).query({ nsfilter: NS }).set({ authorization: app.olga });
    expect(head.headers).toMatchObject({ etag: read.headers.etag, 'content-length': read.headers['content-length'] });
  });

  it('has a unique name among its siblings', async () => {
    const parent = await folder('parent');
    await folder('twin', { _parents: parent });
    const again = await olga.folder('twin', { _parents: parent }).expect(400);
    expect(again.body).toMatchObject({ status: 400, code: 'NAME_TAKEN' });
    await olga.upload('twin', 'a file', { _parents: parent }).expect(400);
    await folder('twin');
  });

  it.each([
    ['no name', { _name: undefined }],
    ['an empty name', { _name: '' }],
    ['a blank name', { _name: '  ' }],
    ['a name of 256 characters', { _name: 'n'.repeat(256) }],
    ['a NUL', { _name: 'a\0b' }],
    ['a control character', { _name: 'a\u0085b' }],
    ['a path', { _name: '../a' }],
    ['a name of dots', { _name: '..' }],
    ['no namespaces', { _namespaces: undefined }],
    ['namespaces that do not include that of the call', { _namespaces: 'another' }],
    ['an unknown parent', { _parents: 'f'.repeat(24) }],
    ['a malformed parent', { _parents: 'x' }],
    ['11 tags', { _tags: 'a,b,c,d,e,f,g,h,i,j,k' }],
    ['a tag of 51 characters', { _tags: 't'.repeat(51) }],
  ])('is rejected with %s', async (_what, query) => {
    await olga.folder('ok', query).expect(400);
  });

  it('accepts a name of 255 characters and non-ASCII names', async () => {
    await folder('n'.repeat(255));
    const id = await folder('Größe 尺寸 📐');
    expect((await olga.get(`/${id}`)).body._name).toBe('Größe 尺寸 📐');
  });

  it('frees its name and accepts no more files once it is removed', async () => {
    const parent = await folder('to remove');
    await file('child.txt', { _parents: parent });
    await olga.remove(parent).set('if-match', '"99"').expect(412);
    await olga.folder('inside', { _parents: parent }).expect(200);
    await olga.remove(parent).expect(204);
    await olga.get(`/${parent}`).expect(404);
    await olga.upload('late.txt', 'x', { _parents: parent }).expect(400);
    await folder('to remove');
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { creator, requests } from './requests.js';
import { FILES, NS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

describe('files and folders', () => {
  let app: TestApp;
  let olga: ReturnType<typeof requests>;
  const { folder, file } = creator(() => olga);

  beforeAll(async () => {
    app = await startApp();
    olga = requests(app, app.olga);
  });
  afterAll(() => app.stop());

  describe('a folder', () => {
    it('is created from the parameters of the query', async () => {
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

    it('leaves nothing behind that was put into it while it was removed', async () => {
      const client = uploadClient(app, app.olga);
      for (let round = 0; round < 15; round++) {
        const parent = await folder(`removed ${round}`);
        const [child, removed, upload, form] = await Promise.all([
          olga.folder('child', { _parents: parent }),
          olga.remove(parent),
          client.initiate('upload.bin', 3, { _parents: [parent] }),
          olga.upload('form.bin', 'abc', { _parents: parent }),
        ]);
        expect(removed.status).toBe(204);
        for (const { status } of [child, upload, form]) expect([200, 201, 400]).toContain(status);
        for (const name of ['files', 'uploads', 'file_versions']) {
          const ids = [child.body._id, upload.body._id, form.body[0]?._id].filter((id) => id !== undefined);
          const below = { $or: [{ _parents: parent }, { fileId: { $in: ids } }, { _fileId: { $in: ids } }] };
          expect(await app.mongo.db.collection(name).countDocuments(below)).toBe(0);
        }
      }
    });

    it('takes many files at the same time', async () => {
      const parent = await folder('busy');
      const responses = await Promise.all(
        Array.from({ length: 30 }, (_, n) => olga.folder(`child ${n}`, { _parents: parent })),
      );
      expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    });

    it('has a unique name in its parent', async () => {
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
      ['the name of the folder above', { _name: '..' }],
      ['no namespaces', { _namespaces: undefined }],
      ['namespaces without its context', { _namespaces: 'another' }],
      ['no context', { nsfilter: undefined }],
      ['a parent that is not there', { _parents: 'f'.repeat(24) }],
      ['a parent that is no id', { _parents: 'x' }],
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

    it('frees its name when it is removed, and takes no more files', async () => {
      const parent = await folder('to remove');
      await file('child.txt', { _parents: parent });
      await olga.remove(parent).expect(204);
      await olga.get(`/${parent}`).expect(404);
      await olga.upload('late.txt', 'x', { _parents: parent }).expect(400);
      await folder('to remove');
    });
  });

  it('accepts new files in a folder again after its removal was rejected', async () => {
    const id = await folder('guarded');
    await olga.remove(id).set('if-match', '"99"').expect(412);
    await olga.folder('inside', { _parents: id }).expect(200);
  });
});

describe('text', () => {
  let app: TestApp;
  let authorization: string;
  beforeAll(async () => {
    app = await startApp();
    authorization = app.olga;
  });
  afterAll(() => app.stop());

  it('of a checksum is kept: numbers that would be written otherwise are refused', async () => {
    const initiate = (checksum: string) =>
      app.api
        .post(`${FILES}?uploadType=resumable&nsfilter=${NS}`)
        .set({ authorization, 'content-type': 'application/json' })
        .send(`{"_name": "${checksum}", "_uploadMeta": {"_size": 1, "_checksum": ${checksum}}}`);
    expect((await initiate('9007199254740991').expect(201)).body._uploadMeta._checksum).toBe('9007199254740991');
    for (const checksum of ['1152921504606846976', '0.12345678901234567', '1e21']) await initiate(checksum).expect(400);
  });
});

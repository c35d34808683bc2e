import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendTwice } from '@dtplatform/testing';
import { requests } from './requests.js';
import { NS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

const MAX_FILE_BYTES = 10 * 1024 * 1024;

describe('a request with an idempotency key', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ MAX_FILE_BYTES: String(MAX_FILE_BYTES) });
  });
  afterAll(() => app.stop());

  it('creates a folder once, and one in it', async () => {
    const olga = requests(app, app.olga);
    const { body: parent } = await sendTwice(() => olga.folder('plans'));
    const { body: child } = await sendTwice(() => olga.folder('ground floor', { _parents: parent._id }));
    expect((await olga.get(`/${child._id}`).expect(200)).body._parents).toEqual([parent._id]);
  });

  describe('uploads a form', () => {
    const KEY = 'idempotency-key';
    const tipOf = async (olga: ReturnType<typeof requests>, id: string) =>
      (await olga.get(`/${id}`).expect(200)).body._tipVersion as number;

    it('once: of a new file, of a new version, and of several files, one of them twice', async () => {
      const olga = requests(app, app.olga);
      for (const version of [1, 2]) {
        const { body } = await sendTwice(() => olga.upload('form.txt', `version ${version}`, { _tags: 'a' }));
        expect(await tipOf(olga, body[0]._id)).toBe(version);
      }
      const large = Buffer.alloc(9 * 1024 * 1024, 'x');
      const several = () =>
        olga
          .upload('several.txt', 'one')
          .attach('file', large, 'several.bin')
          .attach('file', Buffer.from('two'), 'several.txt');
      const { body } = await sendTwice(several);
      expect(await Promise.all([0, 1, 2].map((n) => tipOf(olga, body[n]._id)))).toEqual([2, 1, 2]);
      expect(await app.deps.mongo.db.collection('upload_drafts').countDocuments()).toBe(0);
    });

    it('that is the same: another name, content, type, field, query or encoding is a 400', async () => {
      const olga = requests(app, app.olga);
      const send = () => olga.upload('same.txt', 'same', { _tags: 'a' });
      const [{ _id }] = (await send().set(KEY, 'same').expect(201)).body;
      for (const other of [
        olga.upload('other.txt', 'same', { _tags: 'a' }),
        olga.upload('same.txt', 'else', { _tags: 'a' }),
        olga.upload('same.txt', 'same', { _tags: 'b' }),
        olga.upload('same.txt', 'same'),
        send().attach('file', Buffer.from('more'), 'more.txt'),
        send().query({ _tags: 'a' }),
        send().set('content-encoding', 'gzip'),
      ])
        expect((await other.set(KEY, 'same').expect(400)).body.message).toMatch(/different input/);
      expect((await send().set(KEY, 'same').expect(201)).headers['idempotency-replayed']).toBe('true');
      expect(await tipOf(olga, _id)).toBe(1);
    });

    it('once, when it is sent several times at the same time', async () => {
      const olga = requests(app, app.olga);
      const send = () => olga.upload('race.txt', 'race').set(KEY, 'race');
      const responses = await Promise.all([send(), send(), send()]);
      expect(responses.map(({ status }) => status).filter((status) => status !== 201 && status !== 409)).toEqual([]);
      const [{ _id }] = (await send().expect(201)).body;
      expect(await tipOf(olga, _id)).toBe(1);
    });

    it('again after a failure, and not for who may no longer read it', async () => {
      const olga = requests(app, app.olga);
      const send = (namespaces: string) =>
        olga.upload('failed.txt', 'failed', { _namespaces: namespaces }).set(KEY, 'failed');
      await send('elsewhere').expect(400);
      const [{ _id }] = (await send(NS).expect(201)).body;
      await olga.remove(_id).expect(204);
      await send(NS).expect(409);
      expect(await app.deps.mongo.db.collection('upload_drafts').countDocuments()).toBe(0);
    });

    it('with the same limit of its files', async () => {
      const olga = requests(app, app.olga);
      const send = (content: string) => olga.upload('limit.txt', content).set(KEY, 'limit');
      await send('short').expect(201);
      expect((await send('x'.repeat(MAX_FILE_BYTES + 1)).expect(413)).body.code).toBe('FILE_TOO_LARGE');
    });

    it('for callers whose right is that of the folder', async () => {
      const folder = (await requests(app, app.olga).folder('shared').expect(200)).body._id as string;
      await app.grants.allow('gast', NS, `filesvc:file:${folder}`, ['*']);
      const guest = requests(app, await app.as('gast'));
      await sendTwice(() => guest.upload('guest.txt', 'guest', { _parents: folder }));
    });
  });

  it('begins an upload once', async () => {
    const client = uploadClient(app, app.olga);
    const { body } = await sendTwice(() => client.initiate('plan.bin', 3));
    await client.patch(body._id, Buffer.from('abc'), { offset: 0 }).expect(200);
    expect(await client.download(body._id)).toEqual(Buffer.from('abc'));
    await sendTwice(() => client.initiate('plan.bin', 4));
  });

  it('completes an upload of zero bytes once, of a new file and of a new version', async () => {
    const client = uploadClient(app, app.olga);
    for (const version of [1, 2]) {
      const { body } = await sendTwice(() => client.initiate('empty.bin', 0));
      expect((await client.get(body._id).expect(200)).body).toMatchObject({
        _status: 'UPLOAD_COMPLETED',
        _tipVersion: version,
      });
    }
  });
});

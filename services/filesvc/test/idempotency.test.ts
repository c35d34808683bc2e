import { afterAll, describe, expect, it } from '@jest/globals';
import { sendTwice } from '@dtplatform/testing';
import { requests } from './requests.js';
import { NS, startApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

const MAX_FILE_BYTES = 10 * 1024 * 1024;

const app = await startApp({ MAX_FILE_BYTES: String(MAX_FILE_BYTES) });
const olga = requests(app, app.olga);
afterAll(() => app.stop());

describe('a request with an idempotency key', () => {
  it('creates a folder once', async () => {
    const { body: parent } = await sendTwice(() => olga.folder('plans'));
    const { body: child } = await sendTwice(() => olga.folder('ground floor', { _parents: parent._id }));
    expect((await olga.get(`/${child._id}`).expect(200)).body._parents).toEqual([parent._id]);
  });

  const KEY = 'idempotency-key';
  const tipOf = async (id: string) => (await olga.get(`/${id}`).expect(200)).body._tipVersion as number;

  it('uploads a form once: a new file, a new version, several files of one name', async () => {
    for (const version of [1, 2]) {
      const { body } = await sendTwice(() => olga.upload('form.txt', `version ${version}`, { _tags: 'a' }));
      expect(await tipOf(body[0]._id)).toBe(version);
    }
    const large = Buffer.alloc(9 * 1024 * 1024, 'x');
    const { body } = await sendTwice(() =>
      olga
        .upload('several.txt', 'one')
        .attach('file', large, 'several.bin')
        .attach('file', Buffer.from('two'), 'several.txt'),
    );
    expect(await Promise.all([0, 1, 2].map((n) => tipOf(body[n]._id)))).toEqual([2, 1, 2]);
    expect(await app.deps.mongo.db.collection('upload_drafts').countDocuments()).toBe(0);
  });

  it('rejects a form with another name, content, type, field, query or encoding', async () => {
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
    expect(await tipOf(_id)).toBe(1);
    const tooLarge = olga.upload('same.txt', 'x'.repeat(MAX_FILE_BYTES + 1)).set(KEY, 'same');
    expect((await tooLarge.expect(413)).body.code).toBe('FILE_TOO_LARGE');
  });

  it('uploads a form once when it is sent concurrently', async () => {
    const send = () => olga.upload('race.txt', 'race').set(KEY, 'race');
    const responses = await Promise.all([send(), send(), send()]);
    for (const { status } of responses) expect([201, 409]).toContain(status);
    const [{ _id }] = (await send().expect(201)).body;
    expect(await tipOf(_id)).toBe(1);
  });

  it('uploads a form again after a failure, and is a 409 once its file is gone', async () => {
    const send = (namespaces: string) =>
      olga.upload('failed.txt', 'failed', { _namespaces: namespaces }).set(KEY, 'failed');
    await send('elsewhere').expect(400);
    const [{ _id }] = (await send(NS).expect(201)).body;
    await olga.remove(_id).expect(204);
    await send(NS).expect(409);
    expect(await app.deps.mongo.db.collection('upload_drafts').countDocuments()).toBe(0);
  });

  it('works for callers whose permission is on the folder', async () => {
    const folder = (await olga.folder('shared').expect(200)).body._id as string;
    await app.grants.allow('gast', NS, `filesvc:file:${folder}`, ['*']);
    const guest = requests(app, await app.as('gast'));
    await sendTwice(() => guest.upload('guest.txt', 'guest', { _parents: folder }));
  });

  it('initiates an upload once', async () => {
    const client = uploadClient(app, app.olga);
    const { body } = await sendTwice(() => client.initiate('plan.bin', 3));
    await client.patch(body._id, Buffer.from('abc'), { offset: 0 }).expect(200);
    expect(await client.download(body._id)).toEqual(Buffer.from('abc'));
    await sendTwice(() => client.initiate('plan.bin', 4));
  });

  it('completes an upload of zero bytes once per version', async () => {
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

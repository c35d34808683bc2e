import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { creator, requests } from './requests.js';
import { FILES, NS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

interface Shown {
  _id: string;
  _tipVersion?: number;
}

const each = <T>(count: number, work: (n: number) => PromiseLike<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));

describe('uploads at the same time', () => {
  let app: TestApp;
  let olga: ReturnType<typeof requests>;
  let client: ReturnType<typeof uploadClient>;
  const create = creator(() => olga);

  beforeAll(async () => {
    app = await startApp();
    olga = requests(app, app.olga);
    client = uploadClient(app, app.olga);
  });
  afterAll(() => app.stop());

  it('by forms are all stored, also when some have the same name', async () => {
    const folders = await each(4, (n) => create.folder(`folder ${n}`));
    const replies = await each(24, (n) => olga.upload(`${n % 12}.txt`, `content ${n}`, { _parents: folders[n % 4]! }));
    expect(replies.map(({ status }) => status)).toEqual(Array<number>(24).fill(201));
    const files = replies.map(({ body }) => (body as Shown[])[0]!);
    expect(new Set(files.map(({ _id }) => _id)).size).toBe(12);
    expect(files.map(({ _tipVersion }) => _tipVersion).sort()).toEqual([...Array(12).fill(1), ...Array(12).fill(2)]);
    const contents = await each(12, async (n) => (await client.download(files[n]!._id)).toString());
    contents.forEach((content, n) => expect([`content ${n}`, `content ${n + 12}`]).toContain(content));
  });

  it('that are resumable end one by one, also when some are cancelled', async () => {
    const ids = await each(12, (n) => client.begin(`resumable ${n}`, 5));
    const ends = await each(12, async (n) => {
      const [patched, cancelled] = await Promise.all([
        client.patch(ids[n]!, Buffer.from('hello')),
        n % 3 === 0 ? client.cancel(ids[n]!) : undefined,
      ]);
      return { completed: patched.status === 200, cancelled: cancelled !== undefined && cancelled.status < 300 };
    });
    for (const [n, { completed, cancelled }] of ends.entries()) {
      expect(completed).not.toBe(cancelled);
      await client.get(ids[n]!).expect(completed ? 200 : 404);
    }
  });

  /** The reply to a form whose end is sent after `meanwhile`. */
  async function uploadDuring(name: string, parent: string, meanwhile: () => Promise<unknown>): Promise<Shown> {
    const query = new URLSearchParams({ nsfilter: NS, _namespaces: NS, _parents: parent });
    const headers = { authorization: app.olga, 'content-type': 'multipart/form-data; boundary=b' };
    const req = request(`${app.url}${FILES}?${query.toString()}`, { method: 'POST', headers });
    const reply = once(req, 'response') as Promise<[IncomingMessage]>;
    req.write(`--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\nbegin`);
    // Its place is decided by then.
    const drafts = app.mongo.db.collection('upload_drafts');
    await eventually(async () => expect(await drafts.countDocuments()).toBe(1));
    await meanwhile();
    req.end(' and end\r\n--b--\r\n');
    const [res] = await reply;
    expect(res.statusCode).toBe(201);
    return ((await json(res)) as Shown[])[0]!;
  }

  it('keep away from a file that was moved while their content arrived', async () => {
    const [from, to] = [await create.folder('from'), await create.folder('to')];
    const moved = await create.file('plan.txt', { _parents: from });
    const { _id, _tipVersion } = await uploadDuring('plan.txt', from, async () => {
      await olga.put(moved, { _name: 'plan.txt', _parents: [to] }).expect(200);
    });
    expect(_id).not.toBe(moved);
    expect(_tipVersion).toBe(1);
  });
});

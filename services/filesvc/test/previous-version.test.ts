import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { schema } from '../src/store/schema.js';
import { requests } from './requests.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

const MIB = 1024 * 1024;

describe('what the previous version stored', () => {
  let app: TestApp;
  let client: ReturnType<typeof uploadClient>;
  const content = randomBytes(20 * MIB);
  const checksum = `sha256:${createHash('sha256').update(content).digest('hex')}`;

  const migrate = async () => {
    for (const { up } of schema.migrations) await up(app.mongo.db, new AbortController().signal);
  };
  const stored = (fileId: string) => app.mongo.db.collection('uploads').findOne({ fileId });

  /** An upload with a part and a tail, as the previous version stored it. */
  const interrupted = async (name: string, leaseUntil?: Date) => {
    const id = await client.begin(name, content.length, { checksum });
    await client.patch(id, content.subarray(0, 9 * MIB), { checksum }).expect(200);
    await client.patch(id, content.subarray(9 * MIB, 10 * MIB), { checksum }).expect(200);
    await app.mongo.db
      .collection('uploads')
      .updateOne({ fileId: id }, [
        { $set: { fence: '$lease.fence', ...(leaseUntil && { leaseUntil }) } },
        { $unset: 'lease' },
      ]);
    return id;
  };
  const complete = async (id: string) => {
    const offset = await client.offset(id);
    expect(offset).toBe(10 * MIB);
    await client.patch(id, content.subarray(offset, 11 * MIB), { offset, checksum }).expect(200);
    expect(await client.resume(id, content, checksum)).toMatchObject({ _status: 'UPLOAD_COMPLETED' });
    expect((await client.download(id)).equals(content)).toBe(true);
  };

  beforeAll(async () => {
    app = await startApp();
    client = uploadClient(app, app.olga);
  });
  afterAll(() => app.stop());

  it('continues an upload that the migration has converted', async () => {
    const id = await interrupted('migrated.bin');
    await migrate();
    expect(await stored(id)).toMatchObject({ lease: { fence: 2 }, tail: { fence: 2 } });
    await complete(id);
  });

  it('continues an upload whose writer was cut off by the migration', async () => {
    const end = new Date(Date.now() + 600_000);
    const id = await interrupted('held.bin', end);
    await migrate();
    const { offset, lease } = (await stored(id))!;
    expect(lease).toEqual({ fence: 2, until: end });
    await client.patch(id, content.subarray(offset), { offset, checksum }).expect(423);
    await app.mongo.db.collection('uploads').updateOne({ fileId: id }, { $set: { 'lease.until': new Date(0) } });
    await complete(id);
  });

  it('continues an upload that was begun after the migration', async () => {
    const id = await interrupted('late.bin');
    await complete(id);
  });

  it('takes a file without a revision for one with revision 0', async () => {
    const olga = requests(app, app.olga);
    const id = (await olga.upload('unrevised.txt', 'x').expect(201)).body[0]._id as string;
    await app.mongo.db.collection('files').updateOne({ _name: 'unrevised.txt' }, { $unset: { _revision: 1 } });
    expect((await olga.get(`/${id}`).expect(200)).headers.etag).toBe('"0"');
    const renamed = await olga.put(id, { _name: 'revised.txt' }).set('if-match', '"0"').expect(200);
    expect(renamed.headers.etag).toBe('"1"');
    await olga.remove(id).set('if-match', '"1"').expect(204);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendTwice } from '@dtplatform/testing';
import { requests } from './requests.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

describe('a request with an idempotency key', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.stop());

  it('creates a folder once, and one in it', async () => {
    const olga = requests(app, app.olga);
    const { body: parent } = await sendTwice(() => olga.folder('plans'));
    const { body: child } = await sendTwice(() => olga.folder('ground floor', { _parents: parent._id }));
    expect((await olga.get(`/${child._id}`).expect(200)).body._parents).toEqual([parent._id]);
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

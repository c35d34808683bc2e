import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FILES, NS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

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

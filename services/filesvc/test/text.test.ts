import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { REFUSED_JSON, REFUSED_QUERIES } from '@dtplatform/testing';
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

  it.each([
    ['post', '?uploadType=resumable', '{"_name": %, "_uploadMeta": {"_size": 1, "_checksum": "c"}}'],
    ['post', '?uploadType=resumable', '{"_name": "a", "_uploadMeta": {"_size": 1, "_checksum": %}}'],
    ['post', '?uploadType=resumable', '{"_name": "a", "_uploadMeta": {"_size": %, "_checksum": "c"}}'],
    ['put', '/6b01e9fb590ff35d0952a9ce', '{"_name": %}'],
  ] as const)('that cannot be kept is a 400 for %s %s', async (method, path, body) => {
    for (const value of REFUSED_JSON) {
      const request = app.api[method](`${FILES}${path}`).set({ authorization, 'content-type': 'application/json' });
      const reply = await request.query({ nsfilter: NS }).send(body.replace('%', value));
      expect([value, reply.status, reply.body.message]).toEqual([value, 400, expect.stringMatching(/^The body has /)]);
      expect(reply.text).not.toMatch(/9007199254740993|ObjectId/);
    }
  });

  it.each(['', '/root/children', '/6b01e9fb590ff35d0952a9ce/versions'])(
    'that is not UTF-8 in the query of %s is a 400',
    async (path) => {
      for (const query of REFUSED_QUERIES) {
        const reply = await app.api.get(`${FILES}${path}?nsfilter=${NS}&${query}`).set({ authorization });
        expect([query, reply.status]).toEqual([query, 400]);
      }
    },
  );

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

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, REFUSED_JSON, REFUSED_QUERIES } from '@dtplatform/testing';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { openStream } from './stream-client.js';

const API = '/graphicssvc/api/v1';
const NS = 'tower_1';

describe('text', () => {
  let app: TestApp;
  let authorization: string;
  beforeAll(async () => {
    app = await startApp();
    authorization = await app.as('olga');
  });
  afterAll(() => app.stop());

  it.each([
    ['put', '/filestore', '[{"_fileId": %}]'],
    ['post', '/filesets', '{"_name": %}'],
  ] as const)('that cannot be kept is a 400 for %s %s', async (method, path, body) => {
    for (const value of REFUSED_JSON) {
      const request = app.api[method](`${API}${path}`).set({
        authorization,
        'content-type': 'application/json',
      });
      const reply = await request.query({ nsfilter: NS }).send(body.replace('%', value));
      expect([value, reply.status, reply.body.message]).toEqual([value, 400, expect.stringMatching(/^The body has /)]);
      expect(reply.text).not.toMatch(/9007199254740993|ObjectId/);
    }
  });

  it.each(['/filesets', '/filestore/6b01e9fb590ff35d0952a9ce'])(
    'that is not UTF-8 in the query of %s is a 400',
    async (path) => {
      for (const query of REFUSED_QUERIES) {
        const reply = await app.api.get(`${API}${path}?nsfilter=${NS}&${query}`).set({ authorization });
        expect([query, reply.status]).toEqual([query, 400]);
      }
    },
  );

  it('that cannot be kept is refused in a message of a stream', async () => {
    const stream = await openStream(app.url, { authorization });
    for (const value of REFUSED_JSON) stream.socket.send(`{"type": "open", "requestId": 1, "fileSetId": ${value}}`);
    await eventually(() => expect(stream.messages).toHaveLength(REFUSED_JSON.length));
    for (const message of stream.messages) {
      expect(message).toMatchObject({ type: 'error', message: expect.stringMatching(/^The message has /) });
    }
    stream.close();
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { REFUSED_JSON, REFUSED_QUERIES } from '@dtplatform/testing';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const API = '/datasourcesvc/api/v1';
const NS = 'tower_1';

describe('text', () => {
  let app: TestApp;
  let authorization: string;
  beforeAll(async () => {
    app = await startApp();
    ({ authorization } = await app.as('olga'));
    await app.grants.allow('olga', NS, '*:*:*', ['*']);
  });
  afterAll(() => app.stop());

  it.each([
    ['post', '/orchestrators', '{"_name": %, "_params": {"tasks": []}}'],
    ['post', '/orchestrators', '{"_name": "a", "_params": {"tasks": [{"_actualparams": {"a": %}}]}}'],
    ['post', '/orchestrators/6b01e9fb590ff35d0952a9ce/run', '{"_actualparams": [{"_sequenceno": 1, "params": %}]}'],
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

  it.each(['/orchestrators', '/orchrun', '/orchrun/6b01e9fb590ff35d0952a9ce'])(
    'that is not UTF-8 in the query of %s is a 400',
    async (path) => {
      for (const query of REFUSED_QUERIES) {
        const reply = await app.api.get(`${API}${path}?nsfilter=${NS}&${query}`).set({ authorization });
        expect([query, reply.status]).toEqual([query, 400]);
      }
    },
  );
});

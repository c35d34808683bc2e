import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { REFUSED_JSON, REFUSED_QUERIES } from '@dtplatform/testing';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const API = '/metricsvc/api/v1';
const NS = 'tower_1';

describe('text', () => {
  let app: TestApp;
  let authorization: string;
  beforeAll(async () => {
    app = await startApp();
    authorization = await app.as('platform', 'trusted');
  });
  afterAll(() => app.stop());

  it.each([['post', '/reconciliations', '{"_namespace": %}']] as const)(
    'that cannot be kept is a 400 for %s %s',
    async (method, path, body) => {
      for (const value of REFUSED_JSON) {
        const request = app.api[method](`${API}${path}`).set({
          authorization,
          'content-type': 'application/json',
        });
        const reply = await request.query({ nsfilter: NS }).send(body.replace('%', value));
        expect([value, reply.status, reply.body.message]).toEqual([
          value,
          400,
          expect.stringMatching(/^The body has /),
        ]);
        expect(reply.text).not.toMatch(/9007199254740993|ObjectId/);
      }
    },
  );

  it.each(['/metrics/dtplatform.filesvc.FileCount', '/metrics/a/by-dimension;namespace=b'])(
    'that is not UTF-8 in the query of %s is a 400',
    async (path) => {
      for (const query of REFUSED_QUERIES) {
        const reply = await app.api.get(`${API}${path}?nsfilter=${NS}&${query}`).set({ authorization });
        expect([query, reply.status]).toEqual([query, 400]);
      }
    },
  );
});

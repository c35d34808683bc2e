import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { REFUSED_JSON, REFUSED_QUERIES } from '@dtplatform/testing';
import { API, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const NS = 'tower_1';

describe('text', () => {
  let app: TestApp;
  let authorization: string;
  beforeAll(async () => {
    app = await startApp();
    ({ authorization } = await app.caller('olga', NS));
  });
  afterAll(() => app.stop());

  it.each([
    ['post', '/nameduseritems', '[{"_name": %}]'],
    ['post', '/nameduseritems', '[{"_version": {"_userAttributes": {"a": [%]}}}]'],
    ['put', '/nameduseritems/6b01e9fb590ff35d0952a9ce', '{"_name": %}'],
    ['post', '/nameduseritems/6b01e9fb590ff35d0952a9ce/relateditems', '[{"a": %}]'],
    ['post', '/nameduseritems/6b01e9fb590ff35d0952a9ce/relateditems/readings', '[{"a": %}]'],
    ['post', '/nameduseritems/search', '{"query": %}'],
    ['post', '/telemetryconfigs', '[{"_name": %}]'],
  ] as const)('that cannot be kept is a 400 for %s %s', async (method, path, body) => {
    for (const value of REFUSED_JSON) {
      const request = app.api[method](`${API}${path}`).set({ authorization, 'content-type': 'application/json' });
      const reply = await request.query({ nsfilter: NS }).send(body.replace('%', value));
      expect([value, reply.status, reply.body.message]).toEqual([value, 400, expect.stringMatching(/^The body has /)]);
      expect(reply.text).not.toMatch(/9007199254740993|ObjectId/);
    }
  });

  it.each(['/nameduseritems', '/telemetryconfigs', '/nameduseritems/6b01e9fb590ff35d0952a9ce/relateditems'])(
    'that is not UTF-8 in the query of %s is a 400',
    async (path) => {
      for (const query of REFUSED_QUERIES) {
        const reply = await app.api.get(`${API}${path}?nsfilter=${NS}&${query}`).set({ authorization });
        expect([query, reply.status]).toEqual([query, 400]);
      }
    },
  );

  it('that cannot be kept is a 400 that names the place in a parameter of JSON', async () => {
    const list = (parameters: object) =>
      app.api
        .get(`${API}/nameduseritems`)
        .query({ nsfilter: NS, ...parameters })
        .set({ authorization });
    for (const name of ['query', 'project', 'sort', 'page']) {
      for (const value of REFUSED_JSON) {
        const { status, body } = await list({ [name]: `{"a": ${value}}` });
        expect([value, status, body.errors]).toEqual([
          value,
          400,
          [{ location: `query.${name}`, message: expect.stringMatching(/^has .*: a\b/) }],
        ]);
      }
    }
    const { body } = await list({ query: '{"$or": [{"b": 1}, {"a": 1e999}]}' }).expect(400);
    expect(body.errors[0].message).toMatch(/: \$or\[1\]\.a$/);
  });
});

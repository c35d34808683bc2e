import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { REFUSED_JSON } from '@dtplatform/testing';
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

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { API, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const NS = 'tower_a1b2c3d4';
const RUNS = 150;

const operator = fc.constantFrom(
  ...[
    '$eq',
    '$ne',
    '$gt',
    '$in',
    '$nin',
    '$exists',
    '$type',
    '$all',
    '$elemMatch',
    '$size',
    '$mod',
    '$regex',
    '$options',
  ],
  ...['$and', '$or', '$nor', '$not', '$text', '$search', '$where', '$expr', '$slice', '$meta', '$ref', '$id'],
);
const field = fc.constantFrom(
  '_name',
  '_versions',
  '_versions.all',
  '_versions.0',
  '_versions.a',
  '_id',
  'a.b',
  'a..b',
  '',
  '$',
  '__proto__',
  '0',
);
const garbage = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, 0, 1, -1, 1.5, 1e300, '', 'a', '(', '\0', '$where'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(operator, field, fc.string({ maxLength: 4 })), tie('value'), { maxKeys: 3 }),
  ),
})).value;

describe('any input', () => {
  let app: TestApp;
  let owner: { authorization: string };
  let item: { _id: string };

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
    const body = [
      {
        ...{ _name: 'a', _shortName: 'a', _description: '', _namespaces: [NS], _userType: 'a' },
        _itemClass: 'NamedUserCollection',
        _version: { _userAttributes: { a: { b: [1, 'x', null] } } },
      },
    ];
    item = (await app.api.post(`${API}/nameduseritems`).query({ nsfilter: NS }).set(owner).send(body).expect(201)).body
      ._list[0];
    await app.api
      .post(`${API}/nameduseritems/${item._id}/relateditems`)
      .query({ nsfilter: NS })
      .set(owner)
      .send([{ a: 1 }])
      .expect(201);
  });
  afterAll(() => app.stop());

  const expectAnswer = ({ status, body }: { status: number; body: unknown }, success: number[]) => {
    if (success.includes(status)) return;
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(body).toMatchObject({
      status,
      code: expect.any(String),
      message: expect.any(String),
      requestId: expect.any(String),
    });
  };

  it('as parameters of lists, the answer is a list or a refusal in our format', async () => {
    const paths = [
      '/nameduseritems',
      `/nameduseritems/${item._id}/versions`,
      `/nameduseritems/${item._id}/relateditems`,
    ];
    const parameters = fc.dictionary(
      fc.constantFrom('query', 'project', 'sort', 'page', 'userItemVersionId'),
      garbage,
      { minKeys: 1, maxKeys: 2 },
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), parameters, async (path, values) => {
        const texts = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]));
        const reply = await app.api
          .get(`${API}${path}`)
          .query({ nsfilter: NS, ...texts })
          .set(owner);
        expectAnswer(reply, [200]);
      }),
      { numRuns: RUNS },
    );
  });

  it('as a body, the answer is a success or a refusal in our format', async () => {
    const calls = fc.constantFrom<['post' | 'put', string]>(
      ['post', '/nameduseritems'],
      ['put', `/nameduseritems/${item._id}`],
      ['post', `/nameduseritems/${item._id}/versions`],
      ['post', `/nameduseritems/${item._id}/relateditems`],
      ['post', '/telemetryconfigs'],
    );
    await fc.assert(
      fc.asyncProperty(calls, garbage, async ([method, path], body) => {
        const reply = await app.api[method](`${API}${path}`)
          .query({ nsfilter: NS })
          .set({ ...owner, 'content-type': 'application/json' })
          .send(JSON.stringify(body));
        expectAnswer(reply, [201, 202, 204]);
      }),
      { numRuns: RUNS },
    );
  });

  it.each([
    [
      'no JSON',
      400,
      (api: TestApp['api']) =>
        api.post(`${API}/nameduseritems?nsfilter=${NS}`).set('content-type', 'application/json').send('[{'),
    ],
    ['an empty body', 400, (api: TestApp['api']) => api.post(`${API}/nameduseritems?nsfilter=${NS}`)],
    ['a method that is not there', 405, (api: TestApp['api']) => api.patch(`${API}/nameduseritems?nsfilter=${NS}`)],
    ['a path that is not there', 404, (api: TestApp['api']) => api.get(`${API}/unknown`)],
    [
      'a broken escape in the path',
      400,
      (api: TestApp['api']) => api.get(`${API}/nameduseritems/%E0%A4%A?nsfilter=${NS}`),
    ],
    ['nsfilter twice', 400, (api: TestApp['api']) => api.get(`${API}/nameduseritems?nsfilter=${NS}&nsfilter=b`)],
    [
      'transactional that is no boolean',
      400,
      (api: TestApp['api']) => api.delete(`${API}/nameduseritems/x?nsfilter=${NS}&transactional=2`),
    ],
  ])('%s is a %i', async (_what, status, call) => {
    const reply = await call(app.api).set(owner);
    expect(reply.body).toMatchObject({ status, code: expect.any(String), requestId: expect.any(String) });
    expect(reply.status).toBe(status);
  });

  it('a trailing slash makes no difference', async () => {
    await app.api.get(`${API}/nameduseritems/?nsfilter=${NS}`).set(owner).expect(200);
    await app.api.get(`${API}/nameduseritems/${item._id}/?nsfilter=${NS}`).set(owner).expect(200);
    await app.api.get(`${API}/telemetryconfigs/`).set(owner).expect(200);
  });
});

import { afterAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { commonErrors, defineErrors } from '@dtplatform/errors';
import { oauthErrors, ok, route, routes, scimErrors } from '../src/index.js';
import { anybody, recordingLogger, startApi } from './start-api.js';

const errors = defineErrors({
  nameTaken: { status: 400, message: 'The name is taken.', remedy: '-' },
  uniqueness: { status: 409, message: 'There is such a user.', remedy: '-' },
  invalidFilter: { status: 400, message: 'The filter is not valid.', remedy: '-' },
  invalidGrant: { status: 403, message: 'The code is not valid.', remedy: '-' },
  badGateway: { status: 502, message: 'Another service failed.', remedy: '-' },
  notYet: { status: 503, message: 'Not yet.', remedy: '-' },
});

class DatabaseIsAway extends Error {}
const SECRET = 'mongodb://user:password@10.0.0.1';

const failures: Record<string, () => unknown> = {
  known: () => errors.nameTaken({ details: [{ location: 'body._name', message: 'is taken' }] }),
  unique: () => errors.uniqueness(),
  filter: () => errors.invalidFilter(),
  grant: () => errors.invalidGrant(),
  gateway: () => errors.badGateway(),
  notYet: () => errors.notYet(),
  busy: () => commonErrors.tooManyRequests({ retryAfterSec: 7 }),
  backend: () => new DatabaseIsAway(SECRET),
  unknown: () => new TypeError(SECRET),
  text: () => SECRET,
  nothing: () => undefined,
};

const failing = (prefix: string) =>
  routes('/fail', [
    route.get('/:how', {
      ...anybody(`${prefix}.fail`),
      params: z.object({ how: z.string() }),
      errors: [...Object.values(errors), commonErrors.tooManyRequests],
      handler: async ({ params, res }) => {
        res.setHeader('etag', '"x"');
        res.setHeader('content-range', 'bytes 0-1/2');
        throw failures[params.how]!();
      },
    }),
    route.post('/', {
      ...anybody(`${prefix}.validate`),
      body: z.object({ userName: z.string() }),
      handler: async () => ok({}),
    }),
  ]);

const { log, lines } = recordingLogger();
const errorMappers = [
  (error: unknown) => (error instanceof DatabaseIsAway ? commonErrors.unavailable({ cause: error }) : undefined),
];

const BASE_URL = 'https://twins.test';

const app = await startApi([], {
  log,
  baseUrl: BASE_URL,
  errorMappers,
  mounts: [
    { prefix: '/platform', tables: [failing('platform')] },
    { prefix: '/scim', tables: [failing('scim')], errorFormat: scimErrors },
    {
      prefix: '/mixed',
      tables: [
        { ...failing('oauth'), errorFormat: oauthErrors },
        { ...failing('more'), base: '/more' },
        routes('/page', [
          route.get('/', {
            ...anybody('page.fail'),
            errors: [commonErrors.notFound],
            errorFormat: oauthErrors,
            handler: async () => {
              throw commonErrors.notFound();
            },
          }),
        ]),
      ],
    },
  ],
});
afterAll(() => app.stop());

describe('an error of the catalogue', () => {
  it("returns the catalogue's response, with the place of the error", async () => {
    const reply = await app.api.get('/platform/fail/known').expect(400);
    expect(reply.body).toEqual({
      status: 400,
      code: 'NAME_TAKEN',
      message: 'The name is taken.',
      requestId: reply.headers['x-request-id'],
      documentation: `${BASE_URL}/docs/guides/errors#name_taken`,
      errors: [{ location: 'body._name', message: 'is taken' }],
    });
  });

  it('sends its own headers without those of the response it replaces', async () => {
    const reply = await app.api.get('/platform/fail/busy').expect(429);
    expect(reply.headers['retry-after']).toBe('7');
    expect(reply.headers.etag).toBeUndefined();
    expect(reply.headers['content-range']).toBeUndefined();
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
  });
});

describe('a temporary failure', () => {
  it.each(['platform', 'scim', 'mixed'])(
    'has Retry-After in every format (%s), and does not name a backend',
    async (prefix) => {
      for (const [how, status] of Object.entries({ gateway: 502, notYet: 503, backend: 503 })) {
        const reply = await app.api.get(`/${prefix}/fail/${how}`).expect(status);
        expect(reply.headers['retry-after']).toBe('1');
        expect(reply.text).not.toContain(SECRET);
      }
    },
  );
});

describe('any other error', () => {
  it.each(['unknown', 'text', 'nothing'])('(%s) is a 500 that reveals nothing about it', async (how) => {
    const reply = await app.api.get(`/platform/fail/${how}`).expect(500);
    expect(reply.body).toEqual({
      status: 500,
      code: 'INTERNAL',
      message: 'Something went wrong.',
      requestId: reply.headers['x-request-id'],
      documentation: `${BASE_URL}/docs/guides/errors#internal`,
    });
    expect(reply.text).not.toContain(SECRET);
  });

  it('is logged once, with the request’s id and its cause', async () => {
    await app.api.get('/platform/fail/unknown').set('x-request-id', 'failed-1').expect(500);
    const mine = lines.filter(({ requestId, level }) => requestId === 'failed-1' && level === 'error');
    expect(mine).toHaveLength(1);
    expect(mine[0]).toMatchObject({ err: { type: 'TypeError', message: SECRET } });
  });
});

describe('error format', () => {
  it('of SCIM follows RFC 7644', async () => {
    const unique = await app.api.get('/scim/fail/unique').expect(409);
    expect(unique.headers['content-type']).toBe('application/scim+json; charset=utf-8');
    const body = JSON.parse(unique.text) as unknown;
    expect(body).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '409',
      scimType: 'uniqueness',
      detail: 'There is such a user.',
    });
    expect(JSON.parse((await app.api.get('/scim/fail/filter').expect(400)).text)).toMatchObject({
      scimType: 'invalidFilter',
    });
    const invalid = await app.api.post('/scim/fail').send({ userName: 17 }).expect(400);
    expect(JSON.parse(invalid.text)).toMatchObject({
      scimType: 'invalidValue',
      detail: expect.stringContaining('body.userName'),
    });
    expect(JSON.parse((await app.api.get('/scim/nothing').expect(404)).text)).toMatchObject({ status: '404' });
  });

  it('of OAuth follows RFC 6749, for the table that uses it', async () => {
    const grant = await app.api.get('/mixed/fail/grant').expect(403);
    expect(grant.body).toEqual({ error: 'invalid_grant', error_description: 'The code is not valid.' });
    const away = await app.api.get('/mixed/fail/backend').expect(503);
    expect(away.body).toMatchObject({ error: 'temporarily_unavailable' });
    expect((await app.api.get('/mixed/more/grant').expect(403)).body).toMatchObject({ code: 'INVALID_GRANT' });
  });

  it("is the operation's if it has one, otherwise its table's", async () => {
    expect((await app.api.get('/mixed/page').expect(404)).body).toMatchObject({ error: 'not_found' });
    expect((await app.api.post('/mixed/page').expect(405)).body).toMatchObject({ status: 405 });
  });
});

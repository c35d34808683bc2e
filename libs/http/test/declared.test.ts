import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { header, ok, route, routes } from '../src/index.js';
import type { RouteResponse } from '../src/index.js';
import { recordingLogger, startApi } from './start-api.js';

const REVISION = 'X-Revision';
const fresh = ok({ name: 'a' }, { [REVISION]: '1' });

/** Responses, and how their declaration describes them. */
const ANSWERS: Record<string, { status: number; reason: string; answer: () => RouteResponse }> = {
  'another header': {
    status: 200,
    reason: 'things.get, 200: does not declare the header X-More',
    answer: () => ({ ...fresh, headers: { ...fresh.headers, 'X-More': '1' } }),
  },
  'no header that is required': {
    status: 200,
    reason: 'things.get, 200: breaks its declaration of the header X-Revision',
    answer: () => ({ ...fresh, headers: {} }),
  },
  'another value of a header': {
    status: 200,
    reason: 'things.get, 200: breaks its declaration of the header X-Revision',
    answer: () => ({ ...fresh, headers: { [REVISION]: 'one' } }),
  },
  'another status': {
    status: 202,
    reason: 'things.get does not declare the status 202',
    answer: () => ({ ...fresh, status: 202 }),
  },
  'another body': {
    status: 200,
    reason: 'things.get breaks its declaration',
    answer: () => ({ ...fresh, body: { name: 1 } }),
  },
  'another error': {
    status: 409,
    reason: 'things.get does not declare the error CONFLICT (409).',
    answer: () => {
      throw commonErrors.conflict();
    },
  },
};

/** An API with one operation, which responds as the test specifies. */
async function start(checksDeclarations: boolean) {
  const { log, lines } = recordingLogger();
  const reading = { answer: (): RouteResponse => fresh };
  const things = routes('/things', [
    route.get('/', {
      operation: 'things.get',
      summary: 'Get.',
      auth: 'none',
      responses: { 200: z.object({ name: z.string() }) },
      headers: { 200: [header(REVISION, 'The revision.', z.string().regex(/^\d+$/))] },
      errors: [commonErrors.tooManyRequests],
      handler: async () => reading.answer(),
    }),
  ]);
  const { api, stop } = await startApi([things], { log, checksDeclarations });
  const get = (answer: () => RouteResponse) => {
    reading.answer = answer;
    lines.length = 0;
    return api.get('/api/things');
  };
  return { get, lines, stop };
}

describe.each([true, false])('responses with checked declarations: %s', (checks) => {
  let api: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    api = await start(checks);
  });
  afterAll(() => api.stop());

  it.each(Object.entries(ANSWERS))(
    'fail with %s only if declarations are checked',
    async (_what, { status, reason, answer }) => {
      const { body } = await api.get(answer).expect(checks ? 500 : status);
      expect(JSON.stringify([body, api.lines]).includes(reason)).toBe(checks);
    },
  );

  it('pass if they are declared', async () => {
    await api
      .get(() => fresh)
      .expect(200, { name: 'a' })
      .expect(REVISION, '1');
    const rejected = () => {
      throw commonErrors.tooManyRequests();
    };
    await api.get(rejected).expect(429);
  });

  it('pass if they are an error of the platform itself', async () => {
    const failing = () => {
      throw commonErrors.unavailable();
    };
    await api.get(failing).expect(503);
  });
});

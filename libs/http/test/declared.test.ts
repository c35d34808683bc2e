import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { header, ok, route, routes } from '../src/index.js';
import type { RouteResponse } from '../src/index.js';
import { anybody, recordingLogger, startApi } from './start-api.js';

const REVISION = 'X-Revision';
const withHeaders = (headers: Record<string, string>) => ok({ name: 'a' }, headers);
const fresh = withHeaders({ [REVISION]: '1' });

const declared = 'breaks its declaration of the header X-Revision';
const conflict = () => {
  throw commonErrors.conflict();
};
/** Responses, their status without a check, and how it describes them. */
const ANSWERS: [what: string, status: number, reason: string, answer: () => RouteResponse][] = [
  [
    'another header',
    200,
    ', 200: does not declare the header X-More',
    () => withHeaders({ [REVISION]: '1', 'X-More': '1' }),
  ],
  ['no header that is required', 200, `, 200: ${declared}`, () => withHeaders({})],
  ['another value of a header', 200, `, 200: ${declared}`, () => withHeaders({ [REVISION]: 'one' })],
  ['another status', 202, ' does not declare the status 202', () => ({ ...fresh, status: 202 })],
  ['another body', 200, ' breaks its declaration', () => ({ ...fresh, body: { name: 1 } })],
  ['another error', 409, ' does not declare the error CONFLICT (409).', conflict],
];

/** An API with one operation, which responds as the test specifies. */
async function start(checksDeclarations: boolean) {
  const { log, lines } = recordingLogger();
  const reading = { answer: (): RouteResponse => fresh };
  const things = routes('/things', [
    route.get('/', {
      ...anybody('things.get'),
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

  it.each(ANSWERS)('fail with %s only if declarations are checked', async (_what, status, reason, answer) => {
    const { body } = await api.get(answer).expect(checks ? 500 : status);
    expect(JSON.stringify([body, api.lines]).includes(`things.get${reason}`)).toBe(checks);
  });

  it('pass if they are declared, or an error of the platform itself', async () => {
    await api
      .get(() => fresh)
      .expect(200, { name: 'a' })
      .expect(REVISION, '1');
    for (const error of [commonErrors.tooManyRequests(), commonErrors.unavailable()]) {
      const failing = () => {
        throw error;
      };
      await api.get(failing).expect(error.status);
    }
  });
});

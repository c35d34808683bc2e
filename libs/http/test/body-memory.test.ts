import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { eventually } from '@dtplatform/testing';
import { documents, ok, route, routes } from '../src/index.js';
import { startApi } from './start-api.js';

const MIB = 1024 * 1024;

describe('memory of request bodies', () => {
  let app: Awaited<ReturnType<typeof startApi>>;
  /** Ends the running handlers. */
  let finish: (() => void)[] = [];
  let most = 0;
  const running = async <T>(answer: T) => {
    await new Promise<void>((resolve) => {
      finish.push(resolve);
      most = Math.max(most, finish.length);
    });
    return ok(answer);
  };
  const finishOne = () => finish.splice(0, 1).forEach((end) => end());

  const table = routes('/things', [
    route.post('/slow', {
      operation: 'things.run',
      needs: documents({ rule: 'anyone' }),
      summary: 'Takes long.',
      body: z.string(),
      mayTakeLong: true,
      maxBodyBytes: 10 * MIB,
      responses: { 200: null },
      handler: () => running({}),
    }),
    route.post('/', {
      operation: 'things.create',
      needs: documents({ rule: 'anyone' }),
      summary: 'Create.',
      body: z.string(),
      maxBodyBytes: 10 * MIB,
      responses: { 200: null },
      handler: ({ body }) => running({ length: body.length }),
    }),
  ]);

  beforeAll(async () => {
    app = await startApi([table]);
  });
  afterAll(() => app.stop());

  const authorization = (caller: string) => ({ authorization: `Bearer user-${caller}` });
  const create = (caller: string, bytes: number, path = '') =>
    app.send(`/api/things${path}`, {
      method: 'POST',
      body: JSON.stringify('x'.repeat(bytes)),
      headers: authorization(caller),
    });
  const until = (count: number) => eventually(async () => expect(finish).toHaveLength(count));
  async function finishAll<T>(responses: Promise<T[]>): Promise<T[]> {
    const timer = setInterval(finishOne, 1);
    return responses.finally(() => clearInterval(timer));
  }

  it('parses large bodies one by one', async () => {
    [finish, most] = [[], 0];
    const responses = Promise.all(['a', 'a', 'b', 'c'].map((caller) => create(caller, 9 * MIB)));
    await until(1);
    const small = create('d', 1000);
    await until(2);
    const all = await finishAll(Promise.all([responses, small]));
    expect(all.flat().map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(most).toBe(2);
  });

  it('is released while a long operation runs', async () => {
    finish = [];
    const slow = Promise.all(['a', 'b'].map((caller) => create(caller, 9 * MIB, '/slow')));
    await until(2);
    const other = create('c', 9 * MIB);
    await until(3);
    const responses = await finishAll(Promise.all([slow, other]));
    expect(responses.flat().map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { eventually } from '@dtplatform/testing';
import { ok, route, routes } from '../src/index.js';
import { anyCaller, startApi } from './start-api.js';

const MIB = 1024 * 1024;
/** Ends the running handlers. */
let finish: (() => void)[] = [];
let most = 0;
const handler = async () => {
  await new Promise<void>((resolve) => {
    finish.push(resolve);
    most = Math.max(most, finish.length);
  });
  return ok({});
};
const large = { body: z.string(), maxBodyBytes: 10 * MIB, handler };
const table = routes('/things', [
  route.post('/', { ...anyCaller('things.create'), ...large }),
  route.post('/slow', { ...anyCaller('things.run'), ...large, mayTakeLong: true }),
]);
const registry = new Registry();
const app = await startApi([table], { registry });
beforeEach(() => void ([finish, most] = [[], 0]));
afterAll(() => app.stop());

const create = (caller: string, bytes: number, path = '') =>
  app.send(`/api/things${path}`, {
    method: 'POST',
    body: JSON.stringify('x'.repeat(bytes)),
    headers: { authorization: `Bearer user-${caller}` },
  });
const until = (count: number) => eventually(async () => expect(finish).toHaveLength(count));
/** Ends the handlers one by one until all requests have their responses. */
async function statusesOf(requests: ReturnType<typeof create>[]) {
  const timer = setInterval(() => finish.splice(0, 1).forEach((end) => end()), 1);
  const responses = await Promise.all(requests).finally(() => clearInterval(timer));
  return responses.map(({ status }) => status);
}

describe('memory of request bodies', () => {
  it('is reserved so that large bodies are parsed one by one', async () => {
    const requests = ['a', 'a', 'b', 'c'].map((caller) => create(caller, 9 * MIB));
    await until(1);
    requests.push(create('d', 1000));
    await until(2);
    expect(await statusesOf(requests)).toEqual([200, 200, 200, 200, 200]);
    expect(most).toBe(2);
  });

  it('is released while a long operation runs', async () => {
    const requests = ['a', 'b'].map((caller) => create(caller, 9 * MIB, '/slow'));
    await until(2);
    requests.push(create('c', 9 * MIB));
    await until(3);
    expect(await statusesOf(requests)).toEqual([200, 200, 200]);
  });

  it('is shown in metrics, with the number of requests that wait for it', async () => {
    const valueOf = async (name: string) =>
      Number(new RegExp(`^${name}\\{budget="working"\\} (.*)$`, 'm').exec(await registry.metrics())?.[1]);
    const use = () => Promise.all(['memory_budget_used_bytes', 'memory_budget_waiting'].map(valueOf));
    expect(await valueOf('memory_budget_bytes')).toBe(48 * MIB);
    expect(await use()).toEqual([0, 0]);
    const requests = ['a', 'b', 'c'].map((caller) => create(caller, 9 * MIB));
    await eventually(async () => expect(await valueOf('memory_budget_waiting')).toBe(2));
    expect(await valueOf('memory_budget_used_bytes')).toBeGreaterThan(4 * 9 * MIB - 1);
    expect(await statusesOf(requests)).toEqual([200, 200, 200]);
    expect(await use()).toEqual([0, 0]);
  });
});

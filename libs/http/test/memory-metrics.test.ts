import { afterAll, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { eventually } from '@dtplatform/testing';
import { documents, ok, route, routes } from '../src/index.js';
import { startApi } from './start-api.js';

const MIB = 1024 * 1024;
const finish: (() => void)[] = [];
const table = routes('/things', [
  route.post('/', {
    operation: 'things.create',
    needs: documents({ rule: 'anyone' }),
    summary: 'Create.',
    body: z.string(),
    maxBodyBytes: 10 * MIB,
    responses: { 200: null },
    handler: async () => {
      await new Promise<void>((resolve) => finish.push(resolve));
      return ok({});
    },
  }),
]);
const registry = new Registry();
const app = await startApi([table], { registry });
afterAll(() => app.stop());

async function valueOf(name: string): Promise<number> {
  const line = (await registry.metrics()).split('\n').find((text) => text.startsWith(`${name}{budget="working"} `));
  return Number(line?.split(' ')[1]);
}

it('shows the memory that requests have reserved, and how many wait for it', async () => {
  expect(await valueOf('memory_budget_bytes')).toBe(48 * MIB);
  expect([await valueOf('memory_budget_used_bytes'), await valueOf('memory_budget_waiting')]).toEqual([0, 0]);

  const body = JSON.stringify('x'.repeat(9 * MIB));
  const create = (caller: string) =>
    app.send('/api/things', { method: 'POST', body, headers: { authorization: `Bearer user-${caller}` } });
  const responses = Promise.all(['a', 'b', 'c'].map(create));
  await eventually(async () => expect(await valueOf('memory_budget_waiting')).toBe(2));
  expect(await valueOf('memory_budget_used_bytes')).toBeGreaterThan(4 * 9 * MIB - 1);

  const finishing = setInterval(() => finish.splice(0, 1).forEach((end) => end()), 1);
  expect((await responses.finally(() => clearInterval(finishing))).map(({ status }) => status)).toEqual([
    200, 200, 200,
  ]);
  expect([await valueOf('memory_budget_used_bytes'), await valueOf('memory_budget_waiting')]).toEqual([0, 0]);
});

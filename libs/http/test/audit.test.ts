import { beforeAll, beforeEach, afterAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { created, noContent, ok, route, routes } from '../src/index.js';
import type { AuditLog } from '../src/index.js';
import { anyCaller, startApi } from './start-api.js';

const [ID, MEMBER, NEW] = ['a', 'b', 'c'].map((digit) => digit.repeat(24)) as [string, string, string];

describe('a log of calls that write', () => {
  let entries: { operation: string; status?: number }[];
  let isAvailable: boolean;
  let ran: number;
  const audit: AuditLog = {
    begin({ operation, resourceIds }) {
      if (!isAvailable) return Promise.reject(commonErrors.unavailable());
      const entry = { operation, resourceIds };
      entries.push(entry);
      return Promise.resolve(async ({ status, resourceIds: more }) => {
        Object.assign(entry, { status, resourceIds: [...resourceIds, ...more] });
      });
    },
  };
  const params = z.object({ id: z.string() });
  const things = routes('/things', [
    route.get('/:id', { ...anyCaller('things.get'), params, handler: async () => ok(undefined) }),
    route.post('/', {
      ...anyCaller('things.create'),
      body: z.unknown(),
      responses: { 201: z.object({ _id: z.string() }) },
      handler: async () => created({ _id: NEW, count: (ran += 1) }),
    }),
    route.put('/:id', {
      ...anyCaller('things.open'),
      params,
      secretParams: ['id'],
      responses: { 200: z.object({ _id: z.string() }) },
      handler: async () => ok({ _id: ID }),
    }),
    route.delete('/:id', {
      ...anyCaller('things.delete'),
      params,
      responses: { 204: null },
      async handler({ params: { id } }) {
        if (id !== ID) throw new Error('backend');
        return noContent();
      },
    }),
  ]);
  let running: Awaited<ReturnType<typeof startApi>>;
  beforeAll(async () => {
    const errorMappers = [
      (error: unknown) => ((error as Error).message === 'backend' ? commonErrors.unavailable() : undefined),
    ];
    running = await startApi([things], { audit, errorMappers });
  });
  beforeEach(() => {
    [entries, isAvailable, ran] = [[], true, 0];
  });
  afterAll(() => running.stop());
  const send = (method: 'get' | 'post' | 'put' | 'delete', path = '') =>
    running.api[method](`/api/things${path}`).set({ authorization: 'Bearer user-1' });

  it('has the ids of fields and created resources, but no other text', async () => {
    const body = { _memberIds: [MEMBER], password: 'd'.repeat(24), nested: [{ _id: ID }], list: ['e'.repeat(24)] };
    await send('post').send(body).expect(201);
    await send('get', `/${ID}`).expect(200);
    await send('post')
      .send([MEMBER, { _id: ID }])
      .expect(201);
    const entry = { operation: 'things.create', resourceIds: [MEMBER, ID, NEW], status: 201 };
    expect(entries).toEqual([entry, entry]);
  });

  it('has no parameter that may be a secret', async () => {
    await send('put', '/secret-token').expect(200);
    expect(entries).toEqual([{ operation: 'things.open', resourceIds: [ID], status: 200 }]);
  });

  it('has the status that the caller gets', async () => {
    await send('delete', `/${ID}`).expect(204);
    await send('delete', `/${MEMBER}`).expect(503);
    expect(entries.map(({ status }) => status)).toEqual([204, 503]);
  });

  it('prevents calls that it cannot record', async () => {
    isAvailable = false;
    await send('post').send({}).expect(503);
    expect(ran).toBe(0);
  });
});

import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startCuttableProxy } from '../../testing/src/cuttable-proxy.js';
import { createIdempotencyStore, defineModel, id, mongoErrors, newId, text } from '../src/index.js';
import type { ClientSession, Mongo } from '../src/index.js';
import { connectTo, eventually, mongoUrl, throughPort, useDatabase } from './support.js';

interface RouteResponse {
  status: number;
  thing?: string;
}
const thingModel = defineModel<{ _id: string; key: string }>('things', { _id: id, key: text });

/** The process of the first attempt, whose connection can be cut, and that of the repetition. */
const second = await useDatabase();
const proxy = await startCuttableProxy(new URL(mongoUrl));
const first = await connectTo(second.db.databaseName, throughPort(mongoUrl, proxy.port));
await second.model(thingModel).createCollection();
let key: string;
afterAll(async () => {
  await first.close();
  await proxy.close();
});
beforeEach(() => {
  key = newId();
});

const keys = () => second.db.collection<{ _id: string }>('idempotency_keys');
const insert = (mongo: Mongo, _id: string, session?: ClientSession) =>
  mongo.model(thingModel).insertMany([{ _id, key }], { session });
const things = async () => (await second.model(thingModel).find({ key }).lean()).map(({ _id }) => _id);
const moveLease = (until: Date) => keys().updateOne({ _id: key }, { $set: { 'lease.until': until } });
/** Simulates a dead process. */
const expireLease = () => moveLease(new Date(0));
/** Conflicts with the transaction of a running request, like a heartbeat. */
const extendLease = () => moveLease(new Date(Date.now() + 30_000));

/** The handler of a request that creates a thing. `meanwhile` runs between the write and the response. */
const createThing = async (mongo: Mongo, meanwhile: () => unknown = () => undefined): Promise<RouteResponse> => {
  const thing = newId();
  await mongo.create((session) => insert(mongo, thing, session));
  await meanwhile();
  return { status: 201, thing };
};

async function request(mongo: Mongo, handler: () => Promise<RouteResponse>): Promise<RouteResponse | 'running'> {
  const begun = await createIdempotencyStore<RouteResponse>(mongo).begin(key, 'f');
  if (begun === 'running') return 'running';
  if ('reply' in begun) return begun.reply;
  const early = (thing: unknown): RouteResponse => ({ status: 202, thing: thing as string });
  return begun.run(handler, { keep: (response) => response, early });
}
const repeat = () => request(second, () => createThing(second));
const untilAnswered = () =>
  eventually(async () => {
    const response = await repeat();
    if (response === 'running') throw new Error('it still runs');
    return response;
  });

describe('a request with a key', () => {
  it('commits its writes together with its response', async () => {
    let before: string[] | undefined;
    const response = await request(first, () => createThing(first, async () => (before = await things())));
    expect(before).toEqual([]);
    expect(await things()).toEqual([(response as RouteResponse).thing]);
    expect(await repeat()).toEqual(response);
  });

  it('writes nothing when it fails after its write, and frees the key', async () => {
    const fail = () => Promise.reject(new Error('no'));
    await expect(request(first, () => createThing(first, fail))).rejects.toThrow('no');
    expect(await things()).toEqual([]);
    expect(await repeat()).toMatchObject({ status: 201 });
    expect(await things()).toHaveLength(1);
  });

  it('may retry its write after the database rejected it', async () => {
    await second.model(thingModel).insertMany([{ _id: key, key: 'another' }]);
    const response = await request(first, async () => {
      const taken = first.transaction((session) => insert(first, key, session));
      await expect(taken).rejects.toMatchObject({ code: 11000 });
      return createThing(first);
    });
    expect(await things()).toEqual([(response as RouteResponse).thing]);
  });

  it('rejects a second transaction, which would not be guarded', async () => {
    await expect(request(first, () => createThing(first, () => createThing(first)))).rejects.toThrow('one transaction');
    expect(await things()).toEqual([]);
  });

  it('runs its write again after a conflict while the response is made', async () => {
    let runs = 0;
    const response = await request(first, async () => {
      const thing = newId();
      await first.transaction(async (session) => {
        runs += 1;
        await insert(first, thing, session);
      });
      await extendLease();
      return { status: 201, thing };
    });
    expect(runs).toBe(2);
    expect(await things()).toEqual([(response as RouteResponse).thing]);
    expect(await repeat()).toEqual(response);
  });

  it('writes nothing when a repeated write has a result that differs from the response', async () => {
    const failure = request(first, async () => {
      const thing = await first.transaction(async (session) => {
        const _id = newId();
        await insert(first, _id, session);
        return _id;
      });
      await extendLease();
      return { status: 201, thing };
    });
    await expect(failure).rejects.toMatchObject({ status: 503 });
    expect(await things()).toEqual([]);
    expect(await repeat()).toMatchObject({ status: 201 });
  });
});

describe('a request with an unknown outcome', () => {
  it('created one thing when the response to its commit was lost', async () => {
    proxy.cutAfter('commitTransaction');
    const attempt = request(first, () => createThing(first));
    const lost = attempt.catch((error: unknown) => error);
    await eventually(async () => expect(await things()).toHaveLength(1));
    const repeated = await untilAnswered();
    proxy.mend();
    await lost;
    expect(await things()).toEqual([repeated.thing]);
    expect(repeated.status).toBe(201);
  });

  it('created one thing when the connection broke before its commit and came back', async () => {
    const blink = () => {
      proxy.cut();
      proxy.mend();
    };
    const response = await request(first, () => createThing(first, blink));
    expect(await repeat()).toEqual(response);
    expect(await things()).toEqual([(response as RouteResponse).thing]);
  });

  it('created nothing when its connection broke permanently before its commit', async () => {
    let session: ClientSession | undefined;
    const attempt = request(first, async () => {
      await first.create((its) => {
        session ??= its;
        return insert(first, newId(), its);
      });
      proxy.cut();
      return { status: 201 };
    });
    const failure = await attempt.catch((error: unknown) => mongoErrors(error) ?? error);
    expect(failure).toMatchObject({ status: 503 });
    expect(await things()).toEqual([]);
    await expireLease();
    const repeated = await untilAnswered();
    expect(await things()).toEqual([repeated.thing]);
    // The server would end the transaction by itself after a minute.
    await second.db.command({ killSessions: [session!.id] });
    proxy.mend();
  });

  it('creates nothing more once its key has been taken over', async () => {
    let repeated: RouteResponse | 'running' | undefined;
    const late = request(first, () =>
      createThing(first, async () => {
        await expireLease();
        repeated = await repeat();
      }),
    );
    await expect(late).rejects.toMatchObject({ status: 409 });
    expect(await things()).toEqual([(repeated as RouteResponse).thing]);
    expect(await repeat()).toEqual(repeated);
  });

  it('is still running for a repetition while the transaction of a dead process holds the key', async () => {
    await keys().insertOne({ _id: key, fingerprint: 'f', lease: { fence: 1, until: new Date(0) } } as never);
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    let isWritten!: () => void;
    const written = new Promise<void>((resolve) => (isWritten = resolve));
    const dead = first.transaction(async (session) => {
      await first.db
        .collection<{ _id: string }>('idempotency_keys')
        .updateOne({ _id: key }, { $set: { x: 1 } }, { session });
      isWritten();
      await held;
    });
    await written;
    expect(await repeat()).toBe('running');
    release();
    await dead;
    expect(await repeat()).toMatchObject({ status: 201 });
  });
});

describe('an early commit', () => {
  const createEarly = async (meanwhile: () => unknown): Promise<RouteResponse> => {
    const thing = newId();
    await first.create((session) => insert(first, thing, session), { early: () => thing });
    await meanwhile();
    return { status: 201, thing };
  };

  it('is visible to later code, and to repetitions as a running request', async () => {
    const seen: unknown[] = [];
    const response = await request(first, () => createEarly(async () => seen.push(await things(), await repeat())));
    expect(seen).toEqual([[(response as RouteResponse).thing], 'running']);
    expect(await repeat()).toEqual(response);
  });

  it('keeps the key when later code fails', async () => {
    await expect(request(first, () => createEarly(() => Promise.reject(new Error('no'))))).rejects.toThrow('no');
    expect(await repeat()).toMatchObject({ status: 202 });
    expect(await things()).toHaveLength(1);
  });
});

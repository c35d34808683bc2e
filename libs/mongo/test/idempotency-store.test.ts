import { afterAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import mongoose from 'mongoose';
import { idempotencyKeyModel } from '../src/idempotency-store.js';
import { createIdempotencyStore, newId } from '../src/index.js';
import { connectTo, eventually, useDatabase } from './support.js';

type Store = ReturnType<typeof createIdempotencyStore<{ status: number }>>;
type Claim = Extract<Awaited<ReturnType<Store['begin']>>, { run: unknown }>;

/** Two replicas with a connection each. */
const mongo = await useDatabase();
const second = await connectTo(mongo.db.databaseName);
let id: string;
afterAll(() => second.close());
beforeEach(() => {
  id = newId();
});

const stores = (claimMs?: number): [Store, Store] => [
  createIdempotencyStore(mongo, { claimMs }),
  createIdempotencyStore(second, { claimMs }),
];
const claimOf = async (begun: ReturnType<Store['begin']>): Promise<Claim> => {
  const claim = await begun;
  if (claim === 'running' || 'reply' in claim) throw new Error(`it is not free: ${JSON.stringify(claim)}`);
  return claim;
};
const responses = {
  keep: (response: { status: number }) => response,
  early: () => ({ status: 202 }),
};
/** A request that runs until the test ends it. It writes nothing. */
async function claimed(begun: ReturnType<Store['begin']>) {
  const claim = await claimOf(begun);
  let end!: (response: { status: number }) => void;
  let fail!: (error: Error) => void;
  const work = new Promise<{ status: number }>((resolve, reject) => ([end, fail] = [resolve, reject]));
  const done = claim.run(() => work, responses).catch(() => undefined);
  return {
    finish: (response: { status: number }) => (end(response), done),
    forget: () => (fail(new Error('the request failed')), done),
  };
}
/** Simulates an entry whose process has paused beyond its claim. */
const runOut = () => entries().updateOne({ _id: id }, { $set: { expiresAt: new Date(0), 'lease.until': new Date(0) } });
const entries = () => mongo.db.collection<{ _id: string; lease: { until: Date } }>('idempotency_keys');
const heldUntil = async () => (await entries().findOne({ _id: id }))!.lease.until.getTime();

describe('a held key', () => {
  it('is not free for another replica, which then gets the response', async () => {
    const [one, other] = stores();
    const claim = await claimed(one.begin(id, 'f'));
    expect(await other.begin(id, 'f')).toBe('running');
    await claim.finish({ status: 201 });
    expect(await other.begin(id, 'f')).toEqual({ fingerprint: 'f', reply: { status: 201 } });
  });

  it('stays held while its request runs', async () => {
    const [one, other] = stores(1_500);
    const claim = await claimed(one.begin(id, 'f'));
    const first = await heldUntil();
    // Extended past its former end; without that, it would be free by then.
    await eventually(async () => {
      expect(await other.begin(id, 'f')).toBe('running');
      expect(await heldUntil()).toBeGreaterThan(first + 1_500);
    });
    await claim.forget();
    await (await claimed(other.begin(id, 'f'))).forget();
  });
});

describe('a key whose holder has died', () => {
  it("is free, and the former holder's late response does not count", async () => {
    const [one, other] = stores();
    const late = await claimed(one.begin(id, 'f'));
    await runOut();
    const claim = await claimed(other.begin(id, 'f'));
    await late.finish({ status: 500 });
    expect(await one.begin(id, 'f')).toBe('running');
    await late.forget();
    expect(await one.begin(id, 'f')).toBe('running');
    await claim.finish({ status: 201 });
    expect(await one.begin(id, 'f')).toEqual({ fingerprint: 'f', reply: { status: 201 } });
  });

  it('is free for a different request, too', async () => {
    const [one, other] = stores();
    await (await claimed(one.begin(id, 'f'))).finish({ status: 201 });
    await runOut();
    await (await claimed(other.begin(id, 'g'))).finish({ status: 202 });
    expect(await one.begin(id, 'g')).toEqual({ fingerprint: 'g', reply: { status: 202 } });
  });
});

describe('a claim that times out', () => {
  const timeout = () => new mongoose.mongo.MongoServerError({ code: 50, message: 'operation exceeded time limit' });
  const { collection } = mongo.model(idempotencyKeyModel);
  const claims = jest.spyOn(collection, 'findOneAndUpdate') as jest.Mock<(...all: unknown[]) => Promise<unknown>>;
  const write = claims.getMockImplementation()!;

  it('after its write belongs to its request', async () => {
    claims.mockImplementationOnce(async (...all) => {
      await write.apply(collection, all);
      throw timeout();
    });
    const [one, other] = stores();
    const claim = await claimed(one.begin(id, 'f'));
    expect(await other.begin(id, 'f')).toBe('running');
    await claim.finish({ status: 201 });
    expect(await other.begin(id, 'f')).toEqual({ fingerprint: 'f', reply: { status: 201 } });
  });

  it('before its write is repeated, and then is unavailable', async () => {
    const [store] = stores();
    claims.mockRejectedValueOnce(timeout());
    await (await claimed(store.begin(id, 'f'))).forget();
    claims.mockRejectedValue(timeout());
    await expect(store.begin(id, 'f')).rejects.toMatchObject({ status: 503 });
    claims.mockRestore();
  });
});

it('stores responses with any field names', async () => {
  const [one, other] = stores();
  const response = { status: 201, body: { 'a.b': { $set: 1, $literal: '$x' } } };
  await (await claimed(one.begin(id, '$f'))).finish(response);
  expect(await other.begin(id, '$f')).toEqual({ fingerprint: '$f', reply: response });
});

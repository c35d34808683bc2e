import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, startCuttableProxy } from '@dtplatform/testing';
import { openStream } from './event-stream.js';
import type { EventStream } from './event-stream.js';
import { RUNS, startApp } from './start-app.js';
import type { TestApp, TestComponent } from './start-app.js';

type Headers = { authorization: string };

const gates = new Map<string, () => void>();
const gated: TestComponent = {
  name: 'gated',
  async run(params, { progress, signal }) {
    const { key } = params as { key: string };
    progress(50, 'Half of it.');
    await new Promise<void>((resolve, reject) => {
      gates.set(key, resolve);
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
    return key;
  },
};

describe('watching a run', () => {
  let app: TestApp;
  let owner: Headers;
  let redis: Awaited<ReturnType<typeof startCuttableProxy>>;
  const streams: EventStream[] = [];

  const start = async (key: string, headers = owner) => {
    const tasks = [{ _orchcomp: 'gated', _sequenceno: 1, _actualparams: { key } }];
    const run = await app.run(headers, (await app.create(headers, tasks)).id);
    await eventually(() => expect(gates.has(key)).toBe(true));
    return run.id as string;
  };
  const watch = async (id: string, headers: Record<string, string> = owner, url = app.url) => {
    const stream = await openStream(`${url}${RUNS}/${id}?nsfilter=tower_1`, headers);
    streams.push(stream);
    return stream;
  };
  const until = (condition: () => void | Promise<void>) => eventually(condition, { timeoutMs: 15_000 });
  const statuses = ({ events }: EventStream) => events.map(({ data }) => data._status);

  beforeAll(async () => {
    app = await startApp({ components: [gated] });
    redis = await startCuttableProxy(new URL(app.env.REDIS_URL!));
    // The worker is another process, as far as this service is concerned.
    await app.startWorker();
    owner = await app.as('olga');
    await app.grants.allow('olga', 'tower_1', '*:*:*', ['*']);
  });
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close();
  });
  afterAll(async () => {
    await app.stop();
    await redis.close();
  });

  it('sends its state now and after each change, and ends with it', async () => {
    const id = await start('whole');
    const stream = await watch(id);
    expect(stream).toMatchObject({ status: 200 });
    expect(stream.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    await until(() => expect(stream.events.at(-1)?.data._statusmsg).toBe('Half of it.'));
    expect(stream.events.at(-1)).toMatchObject({ event: 'run', data: { id, _status: 'RUNNING', _progress: 50 } });
    gates.get('whole')!();
    await stream.ended;
    expect(stream.text()).toMatch(/^retry: \d+\n\n/);
    expect(statuses(stream).at(-1)).toBe('COMPLETED');
    const { orchrunsteps, ...completed } = await app.getRun(owner, id);
    const steps = orchrunsteps.map(({ _actualparams, ...step }: { _actualparams: string }) => step);
    expect(stream.events.at(-1)!.data).toEqual({ ...completed, orchrunsteps: steps });
    const ids = stream.events.map((event) => Number(event.id));
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
  });

  it('continues after the event that the client has seen, and reports when there is nothing more', async () => {
    const id = await start('resumed');
    const first = await watch(id);
    await until(() => expect(first.events.at(-1)?.data._statusmsg).toBe('Half of it.'));
    const seen = first.events.at(-1)!.id!;
    first.close();
    const second = await watch(id, { ...owner, 'last-event-id': seen });
    expect(second.status).toBe(200);
    gates.get('resumed')!();
    await second.ended;
    expect(statuses(second)).toEqual(['COMPLETED']);
    const last = second.events.at(-1)!.id!;
    expect((await watch(id, { ...owner, 'last-event-id': last })).status).toBe(204);
    // Any other id starts from the current state.
    const third = await watch(id, { ...owner, 'last-event-id': 'x' });
    await third.ended;
    expect(statuses(third)).toEqual(['COMPLETED']);
  });

  it('sends a large run less often than it changes, but its end at once', async () => {
    const id = await start('large');
    const change = (more: object) => app.runs.updateOne({ _id: id }, { $set: more, $inc: { _revision: 1 } });
    const revision = async () => (await app.runs.findOne<{ _revision: number }>({ _id: id }))!._revision;
    await until(async () => expect((await app.getRun(owner, id))._statusmsg).toBe('Half of it.'));
    await change({ _result: 'x'.repeat(12 * 1024 * 1024) });
    const stream = await watch(id);
    await until(() => expect(stream.events).toHaveLength(1));
    // Both streams look for changes equally often.
    for (const name of ['Other', 'Another']) {
      const other = await watch(id, { ...owner, 'last-event-id': String(await revision()) });
      await change({ _name: name });
      await until(() => expect(other.events.at(-1)?.data._name).toBe(name));
      other.close();
    }
    expect(stream.events).toHaveLength(1);
    gates.get('large')!();
    await stream.ended;
    expect(statuses(stream)).toEqual(['RUNNING', 'COMPLETED']);
  });

  it.each([
    ['Text/Event-Stream; charset=utf-8', 'text/event-stream'],
    ['application/json;q=0.1, text/event-stream; charset="utf-8"; q=0.9', 'text/event-stream'],
    ['text/event-stream; q=0.1, application/json; charset=utf-8', 'application/json'],
  ])('is chosen by the media types in %s', async (accept, type) => {
    const id = await start(accept);
    const stream = await watch(id, { ...owner, accept });
    expect(stream.headers['content-type']).toContain(type);
    stream.close();
    gates.get(accept)!();
    await app.untilStatus(owner, id, 'COMPLETED');
  });

  it('is a separate representation from reading it', async () => {
    const id = await start('plain');
    const { body, headers } = await app.api
      .get(`${RUNS}/${id}?nsfilter=tower_1`)
      .set({ ...owner, accept: 'application/json' })
      .expect(200);
    expect(headers['content-type']).toMatch(/json/);
    expect(body).toHaveLength(1);
    gates.get('plain')!();
    await app.untilStatus(owner, id, 'COMPLETED');
  });

  it('ends with the reason when the permission is revoked', async () => {
    const id = await start('revoked');
    const guest = await app.as('gus');
    await app.grants.allow('gus', 'tower_1', '*:*:*', ['READ']);
    const stream = await watch(id, guest);
    await until(() => expect(stream.events.length).toBeGreaterThan(0));
    await app.grants.revoke('gus', 'tower_1');
    await stream.ended;
    expect(stream.events.at(-1)).toMatchObject({ event: 'error', data: { status: 404, code: 'NOT_FOUND' } });
    const events = stream.events.filter(({ event }) => event === 'run');
    gates.get('revoked')!();
    await app.untilStatus(owner, id, 'COMPLETED');
    expect(statuses({ ...stream, events })).not.toContain('COMPLETED');
  });

  it('ends when the run is removed', async () => {
    const id = await start('removed');
    const stream = await watch(id);
    await until(() => expect(stream.events.length).toBeGreaterThan(0));
    await app.runs.deleteOne({ _id: id });
    await stream.ended;
    expect(stream.events.at(-1)).toMatchObject({ event: 'error', data: { status: 404 } });
    gates.get('removed')!();
  });

  it('is limited per caller, until a stream ends', async () => {
    const id = await start('limited');
    const open = await Promise.all(Array.from({ length: 16 }, () => watch(id)));
    expect(open.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 200));
    expect((await watch(id)).status).toBe(429);
    open[0]!.close();
    await eventually(async () => expect((await watch(id)).status).toBe(200), { timeoutMs: 10_000 });
    gates.get('limited')!();
  });

  it('sends nothing while permissions cannot be checked, and continues afterwards', async () => {
    const url = new URL(app.env.REDIS_URL!);
    url.host = `127.0.0.1:${redis.port}`;
    const instance = await app.startInstance({ REDIS_URL: url.href });
    const id = await start('outage');
    const stream = await watch(id, owner, instance.url);
    await until(() => expect(stream.events.at(-1)?.data._statusmsg).toBe('Half of it.'));
    const before = stream.events.length;
    redis.cut();
    gates.get('outage')!();
    await app.untilStatus(owner, id, 'COMPLETED');
    expect([stream.events.length, stream.isOpen()]).toEqual([before, true]);
    redis.mend();
    await stream.ended;
    expect(statuses(stream).at(-1)).toBe('COMPLETED');
    await instance.stop();
  });
});

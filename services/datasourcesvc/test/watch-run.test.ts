import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { eventually, startCuttableProxy } from '@dtplatform/testing';
import { RUNS, startApp, step } from './start-app.js';
import type { TestComponent } from './start-app.js';

interface StreamEvent {
  event: string;
  id: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each test knows what it gets
  data: any;
}
type EventStream = Awaited<ReturnType<typeof openStream>>;

/** A client of server-sent events. */
async function openStream(url: string, headers: Record<string, string>) {
  const closing = new AbortController();
  const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: closing.signal });
  const events: StreamEvent[] = [];
  const stream = { status: response.status, headers: response.headers, events, text: '', isOpen: true };
  const read = async () => {
    let rest = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      stream.text += chunk;
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop()!;
      events.push(...blocks.filter((block) => block.includes('data: ')).map(eventIn));
    }
  };
  /** Resolves when the server has ended the stream or the connection is closed. */
  const ended = read()
    .catch(() => undefined)
    .finally(() => (stream.isOpen = false));
  return Object.assign(stream, { ended, close: () => closing.abort() });
}

function eventIn(block: string): StreamEvent {
  const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/)));
  return { ...fields, data: JSON.parse(fields.data) } as StreamEvent;
}

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

const app = await startApp({ components: [gated] });
const { owner } = app;
const redis = await startCuttableProxy(new URL(app.env.REDIS_URL!));
// The worker is another process, as far as this service is concerned.
await app.startWorker();
afterAll(async () => {
  await app.stop();
  await redis.close();
});

describe('watching a run', () => {
  const streams: EventStream[] = [];

  const start = async (key: string) => {
    const run = await app.run(owner, (await app.create(owner, [step('gated', { key })])).id);
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

  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close();
  });

  it('sends its state at once and after each change, and ends when the run does', async () => {
    const id = await start('whole');
    const stream = await watch(id);
    expect(stream).toMatchObject({ status: 200 });
    expect([stream.headers.get('content-type'), stream.headers.get('cache-control')]).toEqual([
      'text/event-stream',
      'no-store',
    ]);
    await until(() => expect(stream.events.at(-1)?.data._statusmsg).toBe('Half of it.'));
    expect(stream.events.at(-1)).toMatchObject({ event: 'run', data: { id, _status: 'RUNNING', _progress: 50 } });
    gates.get('whole')!();
    await stream.ended;
    expect(stream.text).toMatch(/^retry: \d+\n\n/);
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
    const seen = first.events.at(-1)!.id;
    first.close();
    const second = await watch(id, { ...owner, 'last-event-id': seen });
    expect(second.status).toBe(200);
    gates.get('resumed')!();
    await second.ended;
    expect(statuses(second)).toEqual(['COMPLETED']);
    const last = second.events.at(-1)!.id;
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
    expect([stream.events.length, stream.isOpen]).toEqual([before, true]);
    redis.mend();
    await stream.ended;
    expect(statuses(stream).at(-1)).toBe('COMPLETED');
    await instance.stop();
  });
});

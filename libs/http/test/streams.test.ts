import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { eventually } from '@dtplatform/testing';
import { route, routes, streamed } from '../src/index.js';
import { anybody, recordingLogger, startApi } from './start-api.js';

class StoreIsAway extends Error {}

let source: Readable;
let signal: AbortSignal | undefined;
let handled: () => void = () => undefined;

const table = routes('/content', [
  route.get('/', {
    ...anybody('content.get'),
    query: z.object({ length: z.string().optional() }),
    responses: { 200: { contentType: '*/*', description: 'bytes' }, 206: { contentType: '*/*', description: 'bytes' } },
    handler: async (context) => {
      signal = context.signal;
      handled();
      const { length } = context.query;
      return streamed(length ? 206 : 200, source, {
        'content-type': 'image/png',
        'cache-control': 'private, max-age=60',
        ...(length ? { 'content-length': length } : {}),
      });
    },
  }),
  route.post('/', {
    ...anybody('content.wait'),
    handler: async (context) => {
      signal = context.signal;
      handled();
      await once(context.signal, 'abort');
      throw new Error('the caller has gone');
    },
  }),
]);

const { log, lines } = recordingLogger();
let app: Awaited<ReturnType<typeof startApi>>;
beforeAll(async () => {
  const mapper = (error: unknown) => (error instanceof StoreIsAway ? commonErrors.unavailable() : undefined);
  app = await startApi([table], { log, errorMappers: [mapper] });
});
afterEach(() => {
  lines.length = 0;
});
afterAll(() => app.stop());

const failures = () => lines.filter(({ level }) => level === 'error');
/** Opens a connection, sends the request and waits until the handler has it. */
async function openRequest(method: 'GET' | 'POST') {
  const socket = connect(app.port, '127.0.0.1');
  const reached = new Promise<void>((resolve) => (handled = resolve));
  socket.write(`${method} /api/content HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`);
  await reached;
  return socket;
}

describe('a stream', () => {
  it('arrives whole, with its headers', async () => {
    const bytes = Buffer.alloc(3_000_000, 'abc');
    source = Readable.from([bytes.subarray(0, 1_000_000), bytes.subarray(1_000_000)], { objectMode: false });
    const reply = await app.api.get('/api/content').buffer(true).expect(200);
    expect(Buffer.compare(reply.body as Buffer, bytes)).toBe(0);
    expect(reply.headers['content-type']).toBe('image/png');
    expect(reply.headers.etag).toBeUndefined();
  });

  it('may be empty', async () => {
    source = Readable.from([]);
    expect((await app.send('/api/content')).body).toBe('');
  });

  it('is not read for a HEAD request', async () => {
    let reads = 0;
    source = new Readable({
      read() {
        reads += 1;
        this.push(Buffer.alloc(100_000));
      },
    });
    const reply = await app.send('/api/content?length=100000000', { method: 'HEAD' });
    expect(reply).toMatchObject({ status: 206, body: '' });
    expect(reply.headers['content-length']).toBe('100000000');
    await eventually(() => expect(source.destroyed).toBe(true));
    expect(reads).toBeLessThan(5);
  });

  it("that fails before its first byte becomes an error response without the stream's headers", async () => {
    source = new Readable({ read: () => source.destroy(new StoreIsAway()) });
    const reply = await app.send('/api/content?length=1000');
    expect(reply.status).toBe(503);
    expect(reply.headers).toMatchObject({ 'retry-after': '1', 'content-type': 'application/json; charset=utf-8' });
    expect(reply.headers['cache-control']).toBeUndefined();
    expect(JSON.parse(reply.body)).toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('that had failed before the handler returned it becomes an error response', async () => {
    source = new Readable({ read: () => undefined });
    source.on('error', () => undefined);
    source.destroy(new StoreIsAway());
    await new Promise((resolve) => source.once('close', resolve));
    expect((await app.send('/api/content')).status).toBe(503);
  });

  it.each(['', '?length=1000'])(
    'that fails midway breaks the connection, so that nobody mistakes it for complete (%s)',
    async (query) => {
      let pushed = false;
      source = new Readable({
        read() {
          if (pushed) this.destroy(new StoreIsAway());
          else this.push('the first part');
          pushed = true;
        },
      });
      await expect(app.send(`/api/content${query}`)).rejects.toThrow(/aborted|hang up|ECONNRESET/);
      await eventually(() => expect(lines.some(({ status }) => status !== undefined)).toBe(true));
    },
  );

  it('ends when the caller disconnects, before or after its first byte, without counting as a failure', async () => {
    for (const firstBytes of ['', 'some bytes']) {
      const bytes = new PassThrough();
      source = bytes;
      if (firstBytes) bytes.write(firstBytes);
      const socket = await openRequest('GET');
      if (firstBytes) await once(socket, 'data');
      socket.destroy();
      await eventually(() => expect(source.destroyed).toBe(true));
      await eventually(() => expect(lines.some(({ operation }) => operation === 'content.get')).toBe(true));
      expect(failures()).toEqual([]);
    }
  });

  it('flows no faster than the caller reads it', async () => {
    let produced = 0;
    source = new Readable({
      read() {
        produced += 100_000;
        this.push(produced < 200_000_000 ? Buffer.alloc(100_000) : null);
      },
    });
    const socket = await openRequest('GET');
    await once(socket, 'readable');
    const settled = async () => {
      const before = produced;
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(produced).toBe(before);
    };
    await eventually(settled);
    expect(produced).toBeLessThan(50_000_000);
    socket.destroy();
    await eventually(() => expect(source.destroyed).toBe(true));
  });
});

describe('the signal of a request', () => {
  it('aborts when the caller disconnects before the response', async () => {
    const socket = await openRequest('POST');
    expect(signal!.aborted).toBe(false);
    socket.destroy();
    await eventually(() => expect(signal!.aborted).toBe(true));
  });

  it('does not abort once the response is complete', async () => {
    source = Readable.from(['all of it']);
    await app.send('/api/content');
    await eventually(() => expect(lines.some(({ operation }) => operation === 'content.get')).toBe(true));
    expect(signal!.aborted).toBe(false);
  });
});

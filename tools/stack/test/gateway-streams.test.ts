import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from '@jest/globals';
import { until } from '../src/processes/until.js';
import { behindGateway } from './fixtures/gateway.js';

const MIB = 1024 * 1024;
const block = randomBytes(MIB);

/** `count` blocks, and the number read so far. */
function source(count: number): { stream: Readable; given: () => number } {
  let given = 0;
  const stream = new Readable({
    highWaterMark: MIB,
    read() {
      this.push(given < count ? block : null);
      given += 1;
    },
  });
  return { stream, given: () => given };
}

async function sha256(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest('hex');
}
const expected = (count: number) => sha256(source(count).stream);

/** The value once it no longer changes. */
async function settled(value: () => number): Promise<number> {
  let before = -1;
  await until('a value that stays', () => before === (before = value()), { timeoutMs: 10_000, everyMs: 300 });
  return before;
}

describe('the gateway, streaming', () => {
  it('reads an upload no faster than the service does', async () => {
    let resume = () => undefined;
    const { port } = await behindGateway((req, res) => {
      resume = () => void sha256(req).then((hash) => res.end(hash));
    });
    const upload = source(200);
    const req = request({ port, path: '/svc', method: 'PUT' });
    const answer = once(req, 'response') as Promise<[IncomingMessage]>;
    upload.stream.pipe(req);
    expect(await settled(upload.given)).toBeLessThan(50);
    resume();
    const [response] = await answer;
    expect(String(await response.toArray())).toBe(await expected(200));
  });

  it('reads a download no faster than the caller does', async () => {
    const download = source(200);
    const { port } = await behindGateway((_req, res) => void pipeline(download.stream, res).catch(() => undefined));
    const req = request({ port, path: '/svc' }).end();
    const [response] = (await once(req, 'response')) as [IncomingMessage];
    expect(await settled(download.given)).toBeLessThan(50);
    expect(await sha256(response)).toBe(await expected(200));
  });

  it('aborts a download at the service when the caller disconnects', async () => {
    const download = source(200);
    const { port } = await behindGateway((_req, res) => void pipeline(download.stream, res).catch(() => undefined));
    const req = request({ port, path: '/svc' }).end();
    const [response] = (await once(req, 'response')) as [IncomingMessage];
    response.destroy();
    await until('the end at the service', () => download.stream.destroyed, { timeoutMs: 10_000 });
    expect(download.given()).toBeLessThan(200);
  });

  it.each<[string, Record<string, number>]>([
    ['of known length', { 'content-length': 10 * MIB }],
    ['in chunks', {}],
  ])('breaks off a response %s where the service does', async (_kind, headers) => {
    const { port } = await behindGateway((_req, res) => {
      res.writeHead(200, headers);
      res.write(block, () => res.destroy());
    });
    const req = request({ port, path: '/svc' }).end();
    const [response] = (await once(req, 'response')) as [IncomingMessage];
    await expect(response.toArray()).rejects.toThrow('aborted');
  });

  it.each([
    ['GET', {}],
    ['PUT', { 'content-length': 10 * MIB }],
  ])('aborts a %s at the service when the caller disconnects before the response', async (method, headers) => {
    const calls: { req: IncomingMessage; res: ServerResponse }[] = [];
    const { port } = await behindGateway((req, res) => {
      req.on('error', () => undefined).resume();
      calls.push({ req, res });
    });
    const req = request({ port, path: '/svc', method, headers }).on('error', () => undefined);
    if (method === 'PUT') req.write(block);
    else req.end();
    await until('the request', () => calls.length > 0, { timeoutMs: 10_000 });
    req.destroy();
    await until('the abort at the service', () => calls[0]!.res.destroyed, { timeoutMs: 10_000 });
    expect(calls[0]!.req.complete).toBe(method === 'GET');
  });

  it('passes on a response that arrives before the upload has ended', async () => {
    const { port } = await behindGateway((_req, res) => {
      res.writeHead(409).end('wrong offset');
    });
    const req = request({ port, path: '/svc', method: 'PATCH' });
    req.on('error', () => undefined);
    const answer = once(req, 'response') as Promise<[IncomingMessage]>;
    source(20).stream.pipe(req);
    const [response] = await answer;
    expect(response.statusCode).toBe(409);
    expect(String(await response.toArray())).toBe('wrong offset');
  });
});

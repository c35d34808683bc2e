import type { Registry } from 'prom-client';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { sha256 } from './start-app.js';
import { MiB, useStreams } from './use-streams.js';

/** More than the operating system buffers for a client that does not read. */
const LARGE = 24 * MiB;

describe('a slow client of the stream', () => {
  const { test, client, fileSet, loaded } = useStreams();

  const start = (settings: Record<string, string>) => test.app.startInstance(settings);
  const slowClients = async (registry: Registry) =>
    (await registry.getSingleMetric('stream_slow_clients_total')!.get()).values[0]!.value;

  /** A client that asks for a file and then does not read it. */
  async function paused(url: string, set: string, fileId: string, user = 'olga') {
    const stream = await client({ authorization: await test.app.as(user) }, url);
    await stream.open(set);
    await stream.until(stream.send({ type: 'read', fileId }), 'header');
    stream.socket.pause();
    return stream;
  }

  it('loses its connection with 4408, and its memory goes to others, after the time for a segment', async () => {
    const file = await loaded(LARGE);
    const set = await fileSet([file]);
    const { url, deps } = await start({ STREAM_BUFFER_BYTES: String(MiB), STREAM_SEGMENT_MS: '2000' });
    await test.app.grants.allow('stan', 'tower_1', `graphicssvc:fileset:${set}`, ['READ']);
    // Together they hold all of the memory.
    const slow = [await paused(url, set, file.id), await paused(url, set, file.id, 'stan')];
    const fast = await client({}, url);
    await fast.open(set);
    expect(sha256((await fast.read(file.id)).content)).toBe(sha256(file.content));
    await eventually(async () => expect(await slowClients(deps.registry)).toBe(2), { timeoutMs: 20_000 });
    for (const stream of slow) {
      stream.socket.resume();
      expect(await stream.untilClosed()).toMatchObject({ code: 4408 });
    }
  });

  it('is cut off when it accepts nothing at all', async () => {
    const file = await loaded(LARGE);
    const { url, deps } = await start({ STREAM_STALL_MS: '1000' });
    const stalled = await paused(url, await fileSet([file]), file.id);
    await eventually(async () => expect(await slowClients(deps.registry)).toBe(1), { timeoutMs: 20_000 });
    stalled.socket.resume();
    expect(await stalled.untilClosed()).toMatchObject({ code: 1006 });
  });

  describe('and pings', () => {
    it('is cut off when it neither answers nor reads', async () => {
      const { url } = await start({ STREAM_PING_EVERY_MS: '200' });
      const [gone, alive] = [await client({ autoPong: false }, url), await client({}, url)];
      let pings = 0;
      alive.socket.on('ping', () => (pings += 1));
      expect(await gone.untilClosed()).toMatchObject({ code: 1006 });
      await eventually(() => expect(pings).toBeGreaterThan(5));
      expect(alive.socket.readyState).toBe(alive.socket.OPEN);
    });

    it('is not cut off while it reads', async () => {
      const file = await loaded(LARGE);
      const { url } = await start({ STREAM_PING_EVERY_MS: '400' });
      const stream = await client({ autoPong: false }, url);
      await stream.open(await fileSet([file]));
      const { socket } = stream;
      let pings = 0;
      // It answers late, and reads little by little until then.
      socket.on('ping', (data) => {
        pings += 1;
        if (pings > 4) socket.pong(data);
      });
      socket.on('message', () => {
        if (pings > 4) return;
        socket.pause();
        setTimeout(() => socket.resume(), 10);
      });
      const { last, content } = await stream.read(file.id);
      expect(last.type).toBe('end');
      expect(pings).toBeGreaterThan(4);
      expect(sha256(content)).toBe(sha256(file.content));
    });
  });
});

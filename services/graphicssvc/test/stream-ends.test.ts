import { describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { sha256 } from './start-app.js';
import { MiB, useStreams } from './use-streams.js';

describe('the stream', () => {
  const { test, client, fileSet, loaded } = useStreams();

  describe('is closed', () => {
    it('when the token expires', async () => {
      const authorization = `Bearer ${await test.app.tokens.issue({ id: 'olga', expiresInSec: 2 })}`;
      const stream = await client({ authorization });
      expect(await stream.untilClosed()).toMatchObject({ code: 4401 });
    });

    it('for binary or large messages', async () => {
      const [binary, large] = [await client(), await client()];
      binary.socket.send(Buffer.from('x'));
      expect(await binary.untilClosed()).toMatchObject({ code: 1003 });
      large.socket.send('x'.repeat(5000));
      expect(await large.untilClosed()).toMatchObject({ code: 1009 });
    });

    it('when the process stops, after the reads that are in progress', async () => {
      const file = await loaded(4 * MiB);
      const instance = await test.app.startInstance();
      const stream = await client({}, instance.url);
      await stream.open(await fileSet([file]));
      const requestId = stream.send({ type: 'read', fileId: file.id });
      await stream.until(requestId, 'header');
      const stopping = instance.stop();
      expect(await stream.untilClosed()).toMatchObject({ code: 1001 });
      expect(stream.received(requestId).equals(file.content)).toBe(true);
      await stopping;
    });
  });

  describe('while a client does not read', () => {
    it('keeps little in memory, serves others, and ends its reads when a right is revoked', async () => {
      const file = await loaded(24 * MiB);
      const set = await fileSet([file]);
      await test.app.grants.allow('stan', 'tower_1', `graphicssvc:fileset:${set}`, ['READ']);
      await test.app.grants.allow('stan', 'tower_1', 'filesvc:file:*', ['READ']);
      const slow = await client({ authorization: await test.app.as('stan') });
      await slow.open(set);
      const ids = Array.from({ length: 4 }, () => slow.send({ type: 'read', fileId: file.id }));
      for (const id of ids) await slow.until(id, 'header');
      slow.socket.pause();
      const sent = async () =>
        (await test.app.deps.registry.getSingleMetric('stream_sent_bytes_total')!.get()).values[0]!.value;
      // The buffers of the operating system fill up, then nothing more is sent.
      let last = -1;
      await eventually(
        async () => {
          const now = await sent();
          const before = last;
          last = now;
          expect(now).toBe(before);
        },
        { everyMs: 500, timeoutMs: 20_000 },
      );
      const fast = await client();
      await fast.open(set);
      expect(sha256((await fast.read(file.id)).content)).toBe(sha256(file.content));

      expect(last).toBeLessThan((ids.length * file.content.length) / 2);

      const grantsOf = test.app.grants.grantsOf.bind(test.app.grants);
      const asked: string[] = [];
      test.app.grants.grantsOf = (subject, namespace) => {
        asked.push(subject._id);
        return grantsOf(subject, namespace);
      };
      await test.app.grants.revoke('stan', 'tower_1');
      await eventually(() => expect(asked).toContain('stan'));
      const revokedAt = await sent();
      slow.socket.resume();
      const ends = await Promise.all(ids.map((id) => slow.until(id, 'end', 'error')));
      expect(ends.every(({ type }) => type === 'error')).toBe(true);
      // Each read had handed over one frame.
      expect((await sent()) - revokedAt).toBeLessThanOrEqual(ids.length * (64 * 1024 + 12));
      expect(slow.problems).toEqual([]);
    });
  });
});

import { AsyncResource } from 'node:async_hooks';
import { finished } from 'node:stream';
import type { Readable } from 'node:stream';

/** Takes a chunk. The stream pauses while it returns a promise. False ends the reading. */
export type Take = (chunk: Buffer) => boolean | Promise<boolean>;

interface End {
  error?: Error | null;
}

/**
 * Passes the chunks of a stream to `take`. An iterator costs a dozen promises per chunk and pauses its socket for each.
 * Does not destroy the stream.
 * @returns whether it was read to its end
 * @throws the error of the stream, or of `take`
 */
export function consume(source: Readable, take: Take): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const takeInContext = AsyncResource.bind(take);
    let isWaiting = false;
    let end: End | undefined;

    const stopWatching = finished(source, { writable: false }, (error) => {
      end = { error };
      // While `take` waits, its result settles this promise, because it may return resources.
      if (!isWaiting) settleWith(end);
    });

    function stop(): void {
      source.off('data', onData).pause();
      stopWatching();
    }
    function settleWith({ error }: End): void {
      stop();
      if (error) reject(error);
      else resolve(true);
    }

    function goOn(isWanted: boolean): void {
      if (!isWanted) {
        stop();
        resolve(false);
      } else if (end) settleWith(end);
      else if (isWaiting) {
        isWaiting = false;
        source.resume();
      }
    }
    const fail = (error: unknown) => settleWith({ error: error as Error });

    function onData(chunk: Buffer): void {
      try {
        const taken = takeInContext(chunk);
        if (typeof taken === 'boolean') return goOn(taken);
        isWaiting = true;
        source.pause();
        taken.then(goOn, fail);
      } catch (error) {
        fail(error);
      }
    }

    source.on('data', onData).resume();
  });
}

import type { Readable } from 'node:stream';

/** A caller that sends nothing for this long has read its response, or never will. */
const IDLE_MS = 2_000;
/** Less than a process has for its shutdown, which waits for responses. */
const MAX_MS = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Reads and discards what a caller still sends after it was refused, up to limits of time, of size and of silence (RFC 9112,
 * section 9.6): closing a connection with unread bytes resets it, and the caller may then lose the response.
 */
export function linger(req: Readable): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const idle = setTimeout(done, IDLE_MS);
    const timer = setTimeout(done, MAX_MS);
    function count(chunk: Buffer): void {
      bytes += chunk.length;
      idle.refresh();
      if (bytes > MAX_BYTES) done();
    }
    function done(): void {
      clearTimeout(idle);
      clearTimeout(timer);
      req.off('data', count).off('end', done).off('close', done).off('error', done);
      resolve();
    }
    req.on('data', count).once('end', done).once('close', done).once('error', done);
    req.resume();
  });
}

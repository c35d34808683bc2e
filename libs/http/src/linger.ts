import type { IncomingMessage } from 'node:http';

const MAX_MS = 2_000;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Reads and discards what a caller still sends after it was refused, up to a limit of time and size (RFC 9112, section
 * 9.6): closing a connection with unread bytes resets it, and the caller may then lose the response.
 */
export function linger(req: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const timer = setTimeout(done, MAX_MS);
    function count(chunk: Buffer): void {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) done();
    }
    function done(): void {
      clearTimeout(timer);
      req.off('data', count).off('end', done).off('close', done).off('error', done);
      resolve();
    }
    req.on('data', count).once('end', done).once('close', done).once('error', done);
    req.resume();
  });
}

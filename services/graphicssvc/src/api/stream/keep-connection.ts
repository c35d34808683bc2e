import type { WebSocket } from 'ws';

/** While files are sent, rights that were taken away count after this time at the latest. */
const CHECK_RIGHTS_EVERY_MS = 1_000;
/** A slow client finds a ping behind all that was sent before it, which is in buffers on the way. */
const MAX_UNANSWERED_PINGS = 3;
/** Pings and pongs to a client that does not read them must not fill the memory. */
const MAX_BUFFERED_BYTES = 256 * 1024;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Options {
  pingEveryMs: number;
  /** Seconds since 1970. */
  expiresAtSec: number;
  onExpiry: () => void;
  isBusy: () => boolean;
  /** Bytes of files that the other side has accepted. */
  sentBytes: () => number;
  /** Never rejects. */
  checkRights: () => Promise<void>;
}

/** Ends a connection whose client is gone, and checks its rights regularly, more often while it is busy. */
export function keepConnection(socket: WebSocket, options: Options): void {
  const { pingEveryMs, expiresAtSec, onExpiry, isBusy, sentBytes, checkRights } = options;
  let unanswered = 0;
  let sentBefore = 0;
  let isChecking = false;
  const mayBuffer = () => socket.bufferedAmount < MAX_BUFFERED_BYTES;
  const check = () => {
    if (isChecking) return;
    isChecking = true;
    void checkRights().finally(() => (isChecking = false));
  };
  const rights = setInterval(() => {
    if (isBusy()) check();
  }, CHECK_RIGHTS_EVERY_MS);
  const heartbeat = setInterval(() => {
    if (sentBytes() > sentBefore || socket.isPaused) unanswered = 0;
    sentBefore = sentBytes();
    if (unanswered >= MAX_UNANSWERED_PINGS) return void socket.terminate();
    unanswered += 1;
    if (mayBuffer()) socket.ping();
    check();
  }, pingEveryMs);
  const expiry = setTimeout(onExpiry, Math.min(expiresAtSec * 1000 - Date.now(), LONGEST_TIMER_MS));

  socket.on('ping', (data) => {
    if (mayBuffer()) socket.pong(data);
  });
  socket.on('pong', () => (unanswered = 0));
  socket.on('message', () => (unanswered = 0));
  socket.on('close', () => {
    clearInterval(rights);
    clearInterval(heartbeat);
    clearTimeout(expiry);
  });
}

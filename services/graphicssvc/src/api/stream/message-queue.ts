import type { WebSocket } from 'ws';

/** Messages that wait for their turn; then nothing more is read from the connection. */
const MAX_WAITING = 16;

/** A message as text; undefined for a binary one. */
type HandleMessage = (text: string | undefined) => Promise<void>;

/** Handles one message after the other: a client that does not read its replies is not read from either. */
export function handleInTurn(socket: WebSocket, handle: HandleMessage): void {
  const waiting: { text: string | undefined }[] = [];
  let isHandling = false;

  async function handleWaiting(): Promise<void> {
    if (isHandling) return;
    isHandling = true;
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      await handle(next.text);
      if (socket.isPaused) socket.resume();
    }
    isHandling = false;
  }

  socket.on('message', (data, isBinary) => {
    waiting.push({ text: isBinary ? undefined : (data as Buffer).toString() });
    if (waiting.length >= MAX_WAITING) socket.pause();
    void handleWaiting();
  });
  socket.on('close', () => (waiting.length = 0));
}

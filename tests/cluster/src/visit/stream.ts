import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import WebSocket from 'ws';
import { createFileSet, loadGraphics, type LoadUser } from '@dtplatform/bench/callers';

const PATH = '/graphicssvc/api/v1/stream';
/** Header of a binary frame: the request id and the offset. */
const HEADER_BYTES = 12;
const TIMEOUT_MS = 60_000;

interface Message {
  type: string;
  requestId?: number;
  code?: string;
}

/** A graphics stream over a websocket, on a set with one file. */
export interface Stream {
  /** Reads the file and checks its content. Resolves with its size. */
  read(): Promise<number>;
  /** The number of pings from the service. */
  pings(): number;
  close(): Promise<void>;
}

/** Stores a graphics file, loads it and opens a stream with it. */
export async function openStream(baseUrl: string, user: LoadUser, bytes: number): Promise<Stream> {
  const content = randomBytes(bytes);
  const fileId = await loadGraphics(user, content);
  const fileSetId = await createFileSet(user, fileId);
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}${PATH}`, [
    'dtplatform.v1',
    `bearer.${user.caller.token}`,
  ]);
  let pings = 0;
  socket.on('ping', () => (pings += 1));
  await once(socket, 'open', { signal: AbortSignal.timeout(TIMEOUT_MS) });
  let lastId = 0;
  const ask = (message: object) => answer(socket, (lastId += 1), message);
  await ask({ type: 'open', fileSetId, nsfilter: user.namespace });
  return {
    read: async () => {
      const received = await ask({ type: 'read', fileId });
      if (!received.equals(content)) throw new Error('a file differs when it is read over the websocket');
      return received.length;
    },
    pings: () => pings,
    close: async () => {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

/** Sends a request. Resolves with the bytes of its binary frames once it has ended. */
function answer(socket: WebSocket, requestId: number, message: object): Promise<Buffer> {
  const frames: Buffer[] = [];
  return new Promise<Buffer>((resolve, reject) => {
    const timeout = setTimeout(() => settle(new Error('no answer')), TIMEOUT_MS);
    const onClose = (code: number) => settle(new Error(`closed with ${code}`));
    const onMessage = (data: Buffer, isBinary: boolean) => {
      if (isBinary) return void frames.push(data.subarray(HEADER_BYTES));
      const { type, code } = JSON.parse(data.toString()) as Message;
      if (type === 'error') settle(new Error(code));
      if (type === 'opened' || type === 'end') settle();
    };
    const settle = (error?: Error) => {
      clearTimeout(timeout);
      socket.off('close', onClose).off('message', onMessage);
      if (error) reject(new Error(`the websocket: ${error.message}`));
      else resolve(Buffer.concat(frames));
    };
    socket.on('close', onClose).on('message', onMessage);
    socket.send(JSON.stringify({ requestId, ...message }));
  });
}

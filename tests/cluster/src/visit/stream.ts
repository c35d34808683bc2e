import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { until } from '@dtplatform/stack';
import { FILES, FILESTORE } from '@dtplatform/stack/client';
import WebSocket from 'ws';
import type { LoadUser } from '@dtplatform/bench/callers';

const PATH = '/graphicssvc/api/v1/stream';
const FILE_SETS = '/graphicssvc/api/v1/filesets';
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
  const { fileId, fileSetId } = await loadGraphics(user, content);
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

async function loadGraphics({ caller, namespace }: LoadUser, content: Buffer) {
  const query = { nsfilter: namespace };
  const form = new FormData();
  form.set('_namespaces', namespace);
  form.set('_tags', '#invgraphicsfile#');
  form.set('file', new Blob([content]), 'model.ifc');
  const { body: stored } = await caller.call<{ _id: string }[]>('POST', FILES, { query, body: form, expect: 201 });
  const fileId = stored[0]!._id;
  await caller.call('PUT', FILESTORE, { query, json: [{ _fileId: fileId }] });
  const isLoaded = async () => {
    const path = `/graphicssvc/api/v1/filestore/${fileId}`;
    return (await caller.call<{ _status: string }>('GET', path, { query })).body._status === 'LOADED';
  };
  await until('the graphics file is loaded', isLoaded, { timeoutMs: TIMEOUT_MS, everyMs: 200 });
  const json = { _name: 'Stream', _namespaces: [namespace], _fileIds: [fileId] };
  const response = await caller.call<{ _id: string }>('POST', FILE_SETS, { query, json, expect: 201 });
  return { fileId, fileSetId: response.body._id };
}

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import WebSocket from 'ws';
import { eventually } from '@dtplatform/testing';
import { ServerMessage } from '../src/stream/messages.http.js';

type Message<T extends ServerMessage['type']> = Extract<ServerMessage, { type: T }>;
type Request = Record<string, unknown> & { type: string; requestId?: number };

export interface ClientOptions {
  /** The value of `Authorization`. */
  authorization?: string;
  protocols?: string[];
  origin?: string;
  headers?: Record<string, string>;
  /** Whether it answers pings; by default it does. */
  autoPong?: boolean;
}

const webSocket = (url: string, { authorization, protocols = [], origin, headers, autoPong = true }: ClientOptions) =>
  new WebSocket(`${url.replace('http', 'ws')}/graphicssvc/api/v1/stream`, protocols, {
    autoPong,
    headers: { ...headers, ...(authorization && { authorization }) },
    ...(origin && { origin }),
  });

/** The response to a rejected websocket request. */
export async function rejectionOf(url: string, options: ClientOptions) {
  const socket = webSocket(url, options);
  socket.on('error', () => undefined);
  const [, res] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  let text = '';
  for await (const chunk of res) text += String(chunk);
  return { status: res.statusCode, headers: res.headers, body: JSON.parse(text) as Record<string, unknown> };
}

/** A client that records what it receives. Every text frame must be a declared message. */
export async function openStream(url: string, options: ClientOptions) {
  const socket = webSocket(url, options);
  const messages: ServerMessage[] = [];
  const bytes = new Map<number, Buffer[]>();
  const next = new Map<number, number>();
  const problems: string[] = [];
  let closed: { code: number; reason: string } | undefined;
  let lastId = 0;

  socket.on('close', (code, reason) => (closed = { code, reason: reason.toString() }));
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) return void messages.push(ServerMessage.parse(JSON.parse(data.toString())));
    const requestId = data.readUInt32BE(0);
    const offset = Number(data.readBigUInt64BE(4));
    const header = messages.find((each) => each.type === 'header' && each.requestId === requestId);
    const expected = next.get(requestId) ?? (header as Message<'header'> | undefined)?.offset;
    if (offset !== expected) problems.push(`${requestId}: ${offset} instead of ${expected}`);
    next.set(requestId, offset + data.length - 12);
    bytes.set(requestId, [...(bytes.get(requestId) ?? []), data.subarray(12)]);
  });
  await once(socket, 'open');

  async function until<T extends ServerMessage['type']>(
    requestId: number | undefined,
    ...types: T[]
  ): Promise<Message<T>> {
    return eventually(
      () => {
        const found = messages.find((each) => each.requestId === requestId && types.includes(each.type as T));
        if (!found) throw new Error(`no ${types.join()} for ${requestId} in ${JSON.stringify(messages)}`);
        return found as Message<T>;
      },
      { timeoutMs: 20_000, everyMs: 5 },
    );
  }
  const send = (request: Request): number => {
    const requestId = (lastId += 1);
    socket.send(JSON.stringify({ requestId, ...request }));
    return request.requestId ?? requestId;
  };
  const received = (requestId: number) => Buffer.concat(bytes.get(requestId) ?? []);

  return {
    socket,
    messages,
    problems,
    send,
    until,
    received,
    open: (fileSetId: string, nsfilter = 'tower_1') =>
      until(send({ type: 'open', fileSetId, nsfilter }), 'opened', 'error'),
    /** Reads to the end. */
    async read(fileId: string, more: object = {}) {
      const requestId = send({ type: 'read', fileId, ...more });
      const last = await until(requestId, 'end', 'error');
      const header = messages.find((each) => each.type === 'header' && each.requestId === requestId);
      return { last, header: header as Message<'header'> | undefined, content: received(requestId) };
    },
    untilClosed: () =>
      eventually(
        () => {
          if (!closed) throw new Error('the connection is open');
          return closed;
        },
        { timeoutMs: 20_000 },
      ),
    close: () => socket.terminate(),
  };
}

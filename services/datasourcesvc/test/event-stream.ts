import { request } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

interface StreamEvent {
  event: string;
  id?: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each test knows what it gets
  data: any;
}

/** A client of server-sent events. */
export interface EventStream {
  status: number;
  headers: IncomingHttpHeaders;
  events: StreamEvent[];
  /** Everything received. */
  text: () => string;
  /** Resolves when the server has ended the stream or the connection is closed. */
  ended: Promise<void>;
  isOpen: () => boolean;
  close(): void;
}

export function openStream(url: string, headers: Record<string, string>): Promise<EventStream> {
  return new Promise((resolve, reject) => {
    const req = request(url, { headers: { accept: 'text/event-stream', ...headers } });
    req.on('error', reject);
    req.on('response', (res) => resolve(readStream(res, () => req.destroy())));
    req.end();
  });
}

function readStream(res: IncomingMessage, close: () => void): EventStream {
  const events: StreamEvent[] = [];
  let text = '';
  let rest = '';
  let isOpen = true;
  res.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop()!;
    events.push(...blocks.flatMap(eventIn));
  });
  const ended = new Promise<void>((resolve) => {
    res
      .on('error', () => undefined)
      .once('close', () => {
        isOpen = false;
        resolve();
      });
  });
  return {
    status: res.statusCode!,
    headers: res.headers,
    events,
    text: () => text,
    ended,
    isOpen: () => isOpen,
    close,
  };
}

function eventIn(block: string): StreamEvent[] {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
  );
  if (fields.data === undefined) return [];
  return [{ event: fields.event!, ...(fields.id !== undefined && { id: fields.id }), data: JSON.parse(fields.data) }];
}

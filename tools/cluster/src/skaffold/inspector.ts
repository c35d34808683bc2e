import { once } from 'node:events';
import { WebSocket } from 'ws';

type Message = { id?: number; method?: string; params?: unknown; result?: unknown; error?: { message: string } };

/** A debugger that is attached to a process, over the Chrome DevTools protocol. */
export interface Inspector {
  call<T>(method: string, params?: object): Promise<T>;
  /** Resolves with the parameters of the next event of this name. */
  event<T>(method: string): Promise<T>;
  close(): void;
}

/** @param address the forwarded port of Node's inspector, `http://127.0.0.1:9229` */
export async function attach(address: string, signal: AbortSignal): Promise<Inspector> {
  const targets = (await (await fetch(`${address}/json/list`, { signal })).json()) as { id: string }[];
  const socket = new WebSocket(`${address.replace('http', 'ws')}/${targets[0]!.id}`);
  await once(socket, 'open', { signal });
  const answers = new Map<number, (message: Message) => void>();
  const events = new Map<string, (params: unknown) => void>();
  socket.on('message', (data) => {
    const message = JSON.parse((data as Buffer).toString()) as Message;
    if (message.id !== undefined) answers.get(message.id)?.(message);
    else events.get(message.method!)?.(message.params);
  });
  let last = 0;
  return {
    async call<T>(method: string, params: object = {}) {
      const id = ++last;
      const answered = new Promise<Message>((resolve) => answers.set(id, resolve));
      socket.send(JSON.stringify({ id, method, params }));
      const { result, error } = await answered;
      if (error) throw new Error(`${method}: ${error.message}`);
      return result as T;
    },
    event: <T>(method: string) => new Promise<T>((resolve) => events.set(method, resolve as (params: unknown) => void)),
    close: () => socket.close(),
  };
}

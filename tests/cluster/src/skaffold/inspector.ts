import { once } from 'node:events';
import { WebSocket } from 'ws';

type Message = { id?: number; method?: string; params?: unknown; result?: unknown; error?: { message: string } };

/** The connection to the inspector was lost: Skaffold renews port forwarding when a pod's state changes. */
export class Disconnected extends Error {}

/** A debugger attached to a process over the Chrome DevTools protocol. */
export interface Inspector {
  call<T>(method: string, params?: object): Promise<T>;
  /** Resolves with the parameters of the next event of this name. */
  event<T>(method: string): Promise<T>;
  close(): void;
}

/**
 * Attaches to a process. Calls and events reject with Disconnected if the connection is lost.
 * @param address the forwarded port of Node's inspector, `http://127.0.0.1:9229`
 */
export async function attach(address: string, signal: AbortSignal): Promise<Inspector> {
  const socket = await connect(address, signal);
  const lost = once(socket, 'close').then((): never => {
    throw new Disconnected();
  });
  lost.catch(() => undefined);
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
      const { result, error } = await Promise.race([answered, lost]);
      if (error) throw new Error(`${method}: ${error.message}`);
      return result as T;
    },
    event: <T>(method: string) =>
      Promise.race([new Promise<T>((resolve) => events.set(method, resolve as (params: unknown) => void)), lost]),
    close: () => socket.close(),
  };
}

async function connect(address: string, signal: AbortSignal): Promise<WebSocket> {
  try {
    const targets = (await (await fetch(`${address}/json/list`, { signal })).json()) as { id: string }[];
    const socket = new WebSocket(`${address.replace('http', 'ws')}/${targets[0]!.id}`);
    await once(socket, 'open', { signal });
    return socket;
  } catch (cause) {
    signal.throwIfAborted();
    throw new Disconnected('the inspector does not answer', { cause });
  }
}

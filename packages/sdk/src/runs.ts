import type { Client } from './client.js';
import { apiErrorOfBody } from './error-reply.js';
import { NetworkError, WorkFailedError } from './errors.js';
import { sleep, withRetries } from './retry.js';
import { createEventParser } from './server-sent-events.js';
import type { ServerSentEvent } from './server-sent-events.js';
import { chunksOf } from './stream.js';
import type { WaitOptions } from './tasks.js';
import type { Output } from './types.js';

/** A run of an orchestrator. */
export type Run = NonNullable<Output<'datasourcesvc.runs.get'>>[number];

export interface WatchOptions {
  /** Defaults to the client's. */
  namespace?: string;
  signal?: AbortSignal;
}

const ENDED: Run['_status'][] = ['COMPLETED', 'ERROR', 'CANCELLED'];
/** Longer than the interval of the platform's heartbeats. */
const STALL_MS = 60_000;
const RETRIES = 8;
/** Delay before reconnecting when a connection ended without an event. */
const SILENCE_MS = 1000;

/**
 * The states of a run: the current one, and one per change until it ends. Reconnects when the connection breaks. States
 * omit the parameters of steps, which do not change.
 */
export async function* watchRun(
  client: Client,
  id: string,
  { namespace, signal }: WatchOptions = {},
): AsyncGenerator<Run, void, undefined> {
  const query = { nsfilter: namespace };
  const url = client.url('datasourcesvc.runs.get', { path: { id }, query });
  let last: string | undefined;
  for (;;) {
    const events = await withRetries(() => nextEvents(client, url, last, signal), { retries: RETRIES, signal });
    if (!events) return;
    let isSilent = true;
    for await (const event of events) {
      isSilent = false;
      if (event.event === 'error') throw apiErrorOfBody(event.data);
      last = event.id;
      const run = JSON.parse(event.data) as Run;
      yield run;
      if (ENDED.includes(run._status)) return;
    }
    if (isSilent) await sleep(SILENCE_MS, signal);
  }
}

/** Opens the event stream; undefined if there will be no events. */
async function nextEvents(client: Client, url: string, last: string | undefined, signal?: AbortSignal) {
  const headers = { Accept: 'text/event-stream', ...(last === undefined ? {} : { 'Last-Event-ID': last }) };
  const response = await client.open(url, { headers, signal, retries: 0 });
  return response.status === 204 || !response.body ? undefined : eventsOf(response.body, signal);
}

/** The events of one connection. Its end is not an error: the next one continues. */
async function* eventsOf(body: ReadableStream<Uint8Array>, signal?: AbortSignal): AsyncGenerator<ServerSentEvent> {
  const parse = createEventParser();
  const decoder = new TextDecoder();
  try {
    for await (const bytes of chunksOf(body, STALL_MS, signal)) yield* parse(decoder.decode(bytes, { stream: true }));
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
  }
}

/**
 * Waits until a run has ended, and returns it with its result.
 * @throws WorkFailedError when it fails or is cancelled
 */
export async function waitForRun(
  client: Client,
  id: string,
  { onProgress, ...options }: WatchOptions & WaitOptions<Run> = {},
): Promise<Run> {
  for await (const run of watchRun(client, id, options)) onProgress?.(run);
  const { namespace, signal } = options;
  const query = { nsfilter: namespace };
  const [run] = (await client.call('datasourcesvc.runs.get', { path: { id }, query, signal }))!;
  if (run!._status === 'COMPLETED') return run!;
  throw new WorkFailedError(run!._statusmsg || `The run has ended as ${run!._status}.`, run);
}

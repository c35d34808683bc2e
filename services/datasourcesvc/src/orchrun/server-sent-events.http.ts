import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import pTimeout from 'p-timeout';
import { createByteBudget, createSemaphore } from '@dtplatform/budget';
import type { Share } from '@dtplatform/budget';
import { commonErrors, isRejection } from '@dtplatform/errors';
import { onceClosed, platformErrors, streamed } from '@dtplatform/http';
import type { RouteResponse, SelectingRequest } from '@dtplatform/http';
import type { Logger } from '@dtplatform/logging';
import { currentCall, runInCall } from '@dtplatform/telemetry';
import type { CallOrigin } from '@dtplatform/telemetry';

/** An event of a stream (HTML, "Server-sent events"). */
interface ServerSentEvent {
  event: string;
  /** Sent back as `Last-Event-ID` by a client that reconnects. Must not contain line breaks. */
  id: string;
  /** Sent as JSON. */
  data: unknown;
}

/**
 * Called once per second for the next event, if any. It must check the caller's permissions each time, because a stream
 * outlives the check of its request. A rejection ends the stream; after any other error it is called again.
 * @param reserve waits for memory before a large event is read
 */
export type NextEvent = (
  reserve: (bytes: number) => Promise<void>,
) => Promise<{ event?: ServerSentEvent; isLast?: boolean }>;

export interface EventStreamLimits {
  /** Streams of this process, and of one caller. */
  maxStreams: number;
  maxOfCaller: number;
  /** Memory for events that clients have not taken yet. */
  bufferBytes: number;
  /** Maximum lifetime of a stream; its client then reconnects, perhaps to another replica. */
  maxMs: number;
  everyMs: number;
  heartbeatMs: number;
  /** How long a client may take to accept an event. */
  stallMs: number;
}

const LIMITS: EventStreamLimits = {
  maxStreams: 256,
  maxOfCaller: 16,
  bufferBytes: 32 * 1024 * 1024,
  maxMs: 300_000,
  everyMs: 1_000,
  heartbeatMs: 15_000,
  stallMs: 20_000,
};
const RECONNECT_MS = 1_000;
/** `stallMs` while the process stops. */
const STALL_AT_END_MS = 2_000;
const EVENT_STREAM = 'text/event-stream';
const HEADERS = {
  'content-type': EVENT_STREAM,
  'cache-control': 'no-store',
  // Proxies such as nginx would buffer events.
  'x-accel-buffering': 'no',
};

interface Options {
  /** Whether the process is shutting down, which ends streams. */
  isStopping: () => boolean;
  log: Logger;
  limits?: Partial<EventStreamLimits>;
}

/**
 * The streams of server-sent events of one process. Each polls MongoDB: Redis loses published messages, and a change
 * stream would read all writes of all runs.
 */
export function createEventStreams({ isStopping, log, limits: given }: Options) {
  const limits = { ...LIMITS, ...given };
  const budget = createByteBudget(limits.bufferBytes);
  const semaphore = createSemaphore({ max: limits.maxStreams, maxOfOwner: limits.maxOfCaller });

  return {
    /** The response that streams events. @throws 429 and 503 when the caller or the process has too many streams */
    open(
      { res, caller }: { req: IncomingMessage; res: ServerResponse; caller: string },
      next: NextEvent,
    ): RouteResponse<never> {
      if (semaphore.hasMost(caller))
        throw commonErrors.tooManyRequests({ message: 'Too many event streams are open.' });
      if (semaphore.isFull()) throw commonErrors.unavailable();
      const leave = semaphore.take(caller);
      const closing = new AbortController();
      /** Aborts when nothing more will be sent, even if the client is still connected. */
      const ending = new AbortController();
      let share: Share | undefined;
      const free = () => share?.release();
      onceClosed(res, () => {
        closing.abort();
        ending.abort();
        free();
        leave();
      });
      const reserve = async (bytes: number) => {
        free();
        share = await budget.reserve(bytes, caller, ending.signal);
        if (closing.signal.aborted) free();
      };
      // Outside the bounds of its request: a stream's reads do not add up and have no common deadline.
      const call: CallOrigin = currentCall() ?? {};
      const ask = () => runInCall(call, () => next(reserve));
      const requestId = call.requestId ?? '';
      const { signal } = closing;
      const giveUp = () => ending.abort();
      const events = eventsOf({ ask, res, requestId, limits, isStopping, log, signal, free, giveUp });
      return streamed(200, Readable.from(events, { highWaterMark: 1 }), HEADERS);
    },
  };
}

export type EventStreams = ReturnType<typeof createEventStreams>;

interface Stream {
  ask: () => ReturnType<NextEvent>;
  res: ServerResponse;
  requestId: string;
  limits: EventStreamLimits;
  isStopping: () => boolean;
  log: Logger;
  /** Aborts when the client has disconnected. */
  signal: AbortSignal;
  /** Releases the memory of the event that was sent. */
  free: () => void;
  /** Ends the wait for memory. */
  giveUp: () => void;
}

interface Answer {
  text?: string;
  isLast?: boolean;
  error?: unknown;
}

/** A comment, which clients ignore. */
const HEARTBEAT = ':\n\n';

/** The text of a stream, until it ends. */
async function* eventsOf(stream: Stream): AsyncGenerator<string> {
  const { limits, log, signal, free, giveUp } = stream;
  const endMs = performance.now() + limits.maxMs;
  const isOver = (answer: Answer | undefined) =>
    answer?.isLast === true || stream.isStopping() || performance.now() > endMs;
  const heartbeat = () => (performance.now() - sentMs > limits.heartbeatMs ? HEARTBEAT : undefined);
  yield `retry: ${RECONNECT_MS}\n\n`;
  let sentMs = performance.now();
  let failures = 0;
  let asked: Promise<Answer> | undefined;
  while (asked || (await isTaken(stream))) {
    if (!asked) free();
    asked ??= textOf(stream);
    // The wait for memory may be long; meanwhile the stream sends heartbeats or ends.
    const answer = await pTimeout(asked, { milliseconds: limits.everyMs, fallback: () => undefined });
    if (signal.aborted) return;
    if (answer?.error !== undefined && failures++ === 0) log.warn({ err: answer.error }, 'an event stream is waiting');
    const text = answer?.text ?? heartbeat();
    if (text !== undefined) {
      sentMs = performance.now();
      yield text;
    }
    if (isOver(answer)) break;
    if (!answer) continue;
    asked = undefined;
    await delay(limits.everyMs, undefined, { signal }).catch(() => undefined);
  }
  giveUp();
  // The last text is sent by then, so that a client that does not accept it is cut off as well.
  await nextTurn();
  await isTaken(stream);
}

async function textOf({ ask, requestId }: Stream): Promise<Answer> {
  try {
    const { event, isLast } = await ask();
    return { text: event && formatted(event), isLast };
  } catch (error) {
    if (!isRejection(error)) return { error };
    const data = JSON.stringify(platformErrors.body(error, requestId));
    return { text: `event: error\ndata: ${data}\n\n`, isLast: true };
  }
}

const formatted = ({ id, event, data }: ServerSentEvent) =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/**
 * Waits until the client has accepted everything, so that only one event per stream is in memory. @returns false if it
 * does not
 */
async function isTaken({ res, limits: { everyMs, stallMs }, isStopping, signal }: Stream): Promise<boolean> {
  for (const startMs = performance.now(); res.writableLength > 0;) {
    if (signal.aborted) return false;
    if (performance.now() - startMs > (isStopping() ? Math.min(STALL_AT_END_MS, stallMs) : stallMs)) {
      res.req.socket.destroy();
      return false;
    }
    await delay(Math.min(everyMs, stallMs), undefined, { signal }).catch(() => undefined);
  }
  return !signal.aborted;
}

const REVISION = /^\d{1,15}$/;

/** The revision in `Last-Event-ID`. */
export function lastRevision({ headers }: Pick<IncomingMessage, 'headers'>): number | undefined {
  const id = headers['last-event-id'];
  return typeof id === 'string' && REVISION.test(id) ? Number(id) : undefined;
}

/** For `when` of a route: whether the caller prefers an event stream to JSON. */
export const wantsEvents = ({ accepts }: Pick<SelectingRequest, 'accepts'>): boolean =>
  accepts(['application/json', EVENT_STREAM]) === EVENT_STREAM;

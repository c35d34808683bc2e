import type { z } from 'zod';
import type { Logger } from '@dtplatform/logging';
import { taskPayload } from './task-document.js';

const DEFAULT_ATTEMPTS = 5;
const DEFAULT_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 600_000;

interface MessageOptions {
  /** The attempt from which on a handler sees `lastAttempt`. Default 5. */
  attempts?: number;
  /** Delay before the second attempt, in milliseconds. Doubles with each attempt, up to 10 minutes. Default 1000. */
  backoffMs?: number;
  /**
   * Message name in the same queue, with the payload `{ messages: P[] }`, for batches of the messages that wait within
   * half a second. Only messages with a batch may have deltas.
   */
  batch?: string;
  /**
   * Whether its handler ends what it began when it sees `isDiscarded`, as handlers of tasks do. Other messages are
   * discarded without a call of their handler.
   */
  endsIfDiscarded?: boolean;
}

/** A kind of message: its queue, name and payload. `P` is what handlers get. */
export interface MessageType<P = unknown> {
  queue: string;
  name: string;
  payload: z.ZodType<P>;
  attempts: number;
  backoffMs: number;
  batch?: string;
  endsIfDiscarded?: boolean;
}

/** Delay after a failed attempt, in milliseconds. */
export const backoffOf = (type: Pick<MessageType, 'backoffMs'> | undefined, attempt: number, error: Error): number =>
  error instanceof PermanentError
    ? MAX_BACKOFF_MS
    : Math.min((type?.backoffMs ?? DEFAULT_BACKOFF_MS) * 2 ** (attempt - 1), MAX_BACKOFF_MS);

type PayloadOf<M> = M extends MessageType<infer P> ? P : never;

/**
 * Declares a message. Payloads must survive JSON, and the schema must return its input (no transforms): it runs when
 * the message is put into the outbox and again before the handler.
 */
export function defineMessage<P>(
  definition: { queue: string; name: string; payload: z.ZodType<P> } & MessageOptions,
): MessageType<P> {
  if (definition.queue.includes(':')) throw new Error(`A queue's name must not contain a colon: ${definition.queue}`);
  const endsIfDiscarded = (definition.payload as z.ZodType) === taskPayload;
  return { attempts: DEFAULT_ATTEMPTS, backoffMs: DEFAULT_BACKOFF_MS, endsIfDiscarded, ...definition };
}

type Definition = z.ZodType | ({ payload: z.ZodType } & MessageOptions);
type SchemaOf<D> = D extends { payload: infer S extends z.ZodType } ? S : D;
type MessagesOf<D> = { [N in keyof D]: MessageType<z.infer<SchemaOf<D[N]>>> };

/**
 * Declares all messages of a queue: `defineCatalogue('itemsvc.telemetry', { 'telemetry-config.create': schema })`. A
 * value is a schema or `{ payload, attempts, backoffMs }`. Put a message with `outbox.put(session,
 * catalogue.messages['telemetry-config.create'], …)`.
 */
export function defineCatalogue<const D extends Record<string, Definition>>(
  queue: string,
  definitions: D,
): { queue: string; messages: MessagesOf<D> } {
  const messages = Object.entries(definitions).map(([name, definition]) => {
    const options = 'payload' in definition ? definition : { payload: definition };
    return [name, defineMessage({ queue, name, ...options })];
  });
  return { queue, messages: Object.fromEntries(messages) as MessagesOf<D> };
}

/** What a handler gets besides the payload. */
export interface JobContext {
  /** The outbox entry's id, the same at each attempt and for duplicate deliveries. */
  id: string;
  /** From 1. */
  attempt: number;
  /** False if an earlier attempt, or a process that died, started it before. */
  isFirstStart: boolean;
  /** Whether this is the last of the message's `attempts`. The message is retried even if it throws. */
  lastAttempt: boolean;
  /** An administrator has discarded the message: only end what it began. */
  isDiscarded: boolean;
  /** Aborts when the worker must end before the job does. */
  signal: AbortSignal;
  log: Logger;
}

/** The outcome of a message whose handler has stored a failure. `rejected`: the call would have been a 4xx. */
export type StoredFailure = 'failed' | 'rejected';

/**
 * Handles one message. Must be idempotent: delivery is at least once. A throw means "retry later"; the result is only
 * measured.
 */
export type JobHandler<P> = (payload: P, job: JobContext) => Promise<StoredFailure | void>;

/** One handler for each message of a catalogue. */
export type HandlersOf<C extends { messages: object }> = {
  [N in keyof C['messages']]: JobHandler<PayloadOf<C['messages'][N]>>;
};

/** Thrown by a handler when an early retry would not help. The next attempt comes after the longest delay. */
export class PermanentError extends Error {
  override readonly name = 'PermanentError';
}

/** Thrown by a handler to run its job again later, behind those that wait. Does not count as an attempt. */
export class Postponed extends Error {
  readonly delayMs: number;

  constructor(delayMs: number) {
    super(`Postponed by ${delayMs} ms.`);
    this.name = 'Postponed';
    this.delayMs = delayMs;
  }
}

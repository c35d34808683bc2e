import type { z } from 'zod';
import type { Logger } from '@dtplatform/logging';

const DEFAULT_ATTEMPTS = 5;
const DEFAULT_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 600_000;

interface MessageOptions {
  /** From which attempt on a handler is told that it is the last. Default 5. */
  attempts?: number;
  /** Wait before the second attempt, in milliseconds; doubles with each, up to 10 minutes. Default 1000. */
  backoffMs?: number;
  /**
   * The name of the message, `{ messages: P[] }`, that carries all of these that wait, within a second. It is of the same queue.
   * Only messages with a batch may have deltas.
   */
  batch?: string;
}

/** A kind of message: where it goes, what it is called and what it holds. `P` is what handlers get. */
export interface MessageType<P = unknown> {
  queue: string;
  name: string;
  payload: z.ZodType<P>;
  attempts: number;
  backoffMs: number;
  batch?: string;
}

/** How long to wait after a failed attempt, in milliseconds. */
export const backoffOf = (type: Pick<MessageType, 'backoffMs'> | undefined, attempt: number, error: Error): number =>
  error instanceof PermanentError
    ? MAX_BACKOFF_MS
    : Math.min((type?.backoffMs ?? DEFAULT_BACKOFF_MS) * 2 ** (attempt - 1), MAX_BACKOFF_MS);

type PayloadOf<M> = M extends MessageType<infer P> ? P : never;

/**
 * Declares a message. Payloads must survive JSON and the schema must give back what it is given (no transforms): it
 * runs when the message is put into the outbox and again before the handler.
 */
export function defineMessage<P>(
  definition: { queue: string; name: string; payload: z.ZodType<P> } & MessageOptions,
): MessageType<P> {
  if (definition.queue.includes(':')) throw new Error(`A queue's name must not hold a colon: ${definition.queue}`);
  return { attempts: DEFAULT_ATTEMPTS, backoffMs: DEFAULT_BACKOFF_MS, ...definition };
}

type Definition = z.ZodType | ({ payload: z.ZodType } & MessageOptions);
type SchemaOf<D> = D extends { payload: infer S extends z.ZodType } ? S : D;
type MessagesOf<D> = { [N in keyof D]: MessageType<z.infer<SchemaOf<D[N]>>> };

/**
 * Declares all messages of a queue: `defineCatalogue('itemsvc.telemetry', { 'telemetry-config.create': schema })`. A
 * value is a schema or `{ payload, attempts, backoffMs }`. Put one with `outbox.put(session,
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

/** What a handler knows of the job that it works on. */
export interface JobContext {
  /** The outbox entry's id: the same at each attempt and when the message is delivered twice. */
  id: string;
  /** From 1. */
  attempt: number;
  /** False when it was started before, by another attempt or by a process that died. */
  isFirstStart: boolean;
  /** Whether this is the last of the message's `attempts`. If it throws, the message is tried again all the same. */
  lastAttempt: boolean;
  /** Aborted when the worker must end before the job does. */
  signal: AbortSignal;
  log: Logger;
}

/** How the work on a message ended that has stored its failure. `rejected`: a call would have been answered with a 4xx. */
export type StoredFailure = 'failed' | 'rejected';

/**
 * Works on one message. Must be idempotent: a message is delivered at least once. A throw means "try again later"; what it
 * returns is only measured.
 */
export type JobHandler<P> = (payload: P, job: JobContext) => Promise<StoredFailure | void>;

/** One handler for each message of a catalogue. */
export type HandlersOf<C extends { messages: object }> = {
  [N in keyof C['messages']]: JobHandler<PayloadOf<C['messages'][N]>>;
};

/** Thrown by a handler: trying again soon would not help. The message is tried again as rarely as one that always fails. */
export class PermanentError extends Error {
  override readonly name = 'PermanentError';
}

/** Thrown by a handler: its job is started again after a while, behind those that wait. That is no attempt. */
export class Postponed extends Error {
  readonly delayMs: number;

  constructor(delayMs: number) {
    super(`Postponed by ${delayMs} ms.`);
    this.name = 'Postponed';
    this.delayMs = delayMs;
  }
}

import { z } from 'zod';
import type { ReadingOwner } from '../readings/place-readings.js';
import type { PlacedReading } from '../readings/reading.js';
import type { ReadMessage } from './read-messages.js';

/** Of one request. */
export const MAX_MESSAGES = 1000;

export const DeadLetterCode = z.enum([
  'MESSAGE_NOT_VALID',
  'NO_BINDING',
  'COLLECTION_MISSING',
  'SCRIPT_MISSING',
  'SCRIPT_FAILED',
  'READINGS_NOT_VALID',
  'TELEMETRY_ITEM_MISSING',
  'READINGS_TOO_LARGE',
  'TOO_MANY_MESSAGES',
]);
export type DeadLetterCode = z.infer<typeof DeadLetterCode>;

/** A message of a device that waits for its readings to be stored. */
export interface Message {
  _id: string;
  configId: string;
  /** Messages that arrived together. */
  groupId: string;
  /** JSON. */
  content: string;
  /** Of the content. */
  bytes: number;
  createdAt: number;
}

/** A message whose readings could not be stored. */
export interface DeadLetter extends Message {
  code: DeadLetterCode;
  reason: string;
  failedAt: Date;
}

/** A dead letter as callers see it. */
export const ShownDeadLetter = z
  .object({
    _id: z.string().describe('The id of the dead letter.'),
    _code: DeadLetterCode.describe('Why the readings of the message could not be stored.'),
    _reason: z.string().describe('The same in words.'),
    _message: z.unknown().describe('The message as it was received.'),
    _receivedAt: z.int().describe('When the message was received, in milliseconds since 1970.'),
    _failedAt: z.int().describe('When its readings could not be stored, in milliseconds since 1970.'),
  })
  .meta({
    id: 'DeadLetter',
    description:
      'A message whose readings could not be stored; it is kept for 14 days, and the oldest are deleted first.',
  });
export type ShownDeadLetter = z.infer<typeof ShownDeadLetter>;

export const showDeadLetter = ({ _id, code, reason, content, createdAt, failedAt }: DeadLetter): ShownDeadLetter => ({
  _id,
  _code: code,
  _reason: reason,
  _message: JSON.parse(content) as unknown,
  _receivedAt: createdAt,
  _failedAt: failedAt.getTime(),
});

/** What a script returned for one input, or why there is nothing. */
export type ScriptResult = { value: unknown } | { failure: string; isTimeout: boolean };

/** Runs scripts of tenants. */
export interface Scripts {
  /**
   * Calls `normalize` of a script with each message. One result for each, in their order; only for the first ones, at least
   * one, when together they take too long or return too much.
   * @param configId whose script it is: configurations take turns
   * @param contents the messages, as JSON
   */
  normalize(
    configId: string,
    text: string,
    contents: string[],
    signal: AbortSignal,
  ): Promise<{ results: ScriptResult[]; tookMs: number }>;
}

/** What is known of some messages once they have been worked on. */
export interface Ingested {
  /** In the order in which they arrived. */
  messages: Message[];
  stored: { owner: ReadingOwner; readings: PlacedReading[] }[];
  deadLetters: { message: Message; code: DeadLetterCode; reason: string }[];
}

/** What a configuration receives from a broker, in one of its namespaces. */
export interface Source {
  configId: string;
  namespace: string;
  /** A topic filter below the topics of the namespace. */
  channel: string;
}

/** A message of a broker for some configurations. */
export interface Delivery extends ReadMessage {
  configIds: string[];
  /** The same when the broker delivers a message again; absent when it never does. */
  key?: string;
  /** Whether the broker says that it may have delivered the message before. */
  isRepeated?: boolean;
}

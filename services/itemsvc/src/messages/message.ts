import { z } from 'zod';
import type { ReadingOwner } from '../readings/place-readings.js';
import type { PlacedReading } from '../readings/reading.js';
import type { ReadMessage } from './read-messages.js';

/** Per request. */
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

/** A device message whose readings are not stored yet. */
export interface Message {
  _id: string;
  configId: string;
  /** Shared by messages that arrived together. */
  groupId: string;
  /** JSON. */
  content: string;
  bytes: number;
  createdAt: number;
}

export interface DeadLetter extends Message {
  code: DeadLetterCode;
  reason: string;
  failedAt: Date;
}

export const ShownDeadLetter = z
  .object({
    _id: z.string().describe('The id of the dead letter.'),
    _code: DeadLetterCode.describe('Why the readings of the message could not be stored.'),
    _reason: z.string().describe('The reason as text.'),
    _message: z.unknown().describe('The message as it was received.'),
    _receivedAt: z.int().describe('When the message was received, in milliseconds since 1970.'),
    _failedAt: z.int().describe('When its readings could not be stored, in milliseconds since 1970.'),
  })
  .meta({
    id: 'DeadLetter',
    description: 'A message whose readings could not be stored. Kept for 14 days; the oldest are deleted first.',
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

/** The value that a script returned, or its failure. */
export type ScriptResult = { value: unknown } | { failure: string; isTimeout: boolean };

export interface Scripts {
  /**
   * Calls the script's `normalize` with each message. Results are in the order of the messages. There are fewer, but at
   * least one, if the run exceeds its limits on time or output.
   * @param configId the owner of the script; configurations are served in turn
   * @param contents messages as JSON
   */
  normalize(
    configId: string,
    text: string,
    contents: string[],
    signal: AbortSignal,
  ): Promise<{ results: ScriptResult[]; tookMs: number }>;
}

/** The outcome of a batch of messages. */
export interface Ingested {
  /** In arrival order. */
  messages: Message[];
  stored: { owner: ReadingOwner; readings: PlacedReading[] }[];
  deadLetters: { message: Message; code: DeadLetterCode; reason: string }[];
}

/** A subscription of a configuration in one of its namespaces. */
export interface Source {
  configId: string;
  namespace: string;
  /** A topic filter, relative to the topics of the namespace. */
  channel: string;
}

/** A message from a broker and the configurations it matches. */
export interface Delivery extends ReadMessage {
  configIds: string[];
  /** Identifies a redelivery of the same message; absent for QoS 0, which is never redelivered. */
  key?: string;
  /** The broker's DUP flag: this may be a redelivery. */
  isRepeated?: boolean;
}

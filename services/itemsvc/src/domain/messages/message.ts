import { z } from 'zod';

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

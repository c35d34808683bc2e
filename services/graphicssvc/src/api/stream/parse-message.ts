import { parseJson } from '@dtplatform/contracts';
import type { JsonRefused } from '@dtplatform/contracts';
import { commonErrors, describeIssue } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';
import { ClientMessage, RequestId } from './stream.messages.js';

type Parsed =
  | { requestId?: number; message: ClientMessage; error?: undefined }
  | { requestId?: number; message?: undefined; error: AppError };

/** What a client sent, or the error that it gets for it. */
export function parseMessage(text: string): Parsed {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    return { error: commonErrors.badRequest({ message: `The message ${(cause as JsonRefused).message}.`, cause }) };
  }
  const requestId = RequestId.safeParse((value as { requestId?: unknown } | null)?.requestId).data;
  const parsed = ClientMessage.safeParse(value, { error: describeIssue });
  if (parsed.success) return { requestId, message: parsed.data };
  const details = parsed.error.issues.slice(0, 20).map(({ path, message }) => ({
    location: ['message', ...path].map(String).join('.'),
    message,
  }));
  return { requestId, error: commonErrors.badRequest({ details }) };
}

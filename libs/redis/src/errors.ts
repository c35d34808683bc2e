import { isNativeError } from 'node:util/types';
import { commonErrors } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';

const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** What ioredis says of a connection that is not there; it gives these no code. */
const CLIENT_MESSAGES =
  /^(Connection is closed|Command timed out|Stream isn't writeable|Socket timeout|connect ETIMEDOUT)/;
/** First words of the server's replies while it cannot serve. */
const SERVER_REPLIES = /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|NOREPLICAS|OOM) /;

/** 503 `unavailable` (Retry-After 1) for errors that mean "Redis is away, starting or overloaded"; undefined for all others. */
export function redisErrors(error: unknown): AppError | undefined {
  if (!isNativeError(error)) return undefined;
  const isAway =
    error.name === 'MaxRetriesPerRequestError' ||
    SYSTEM_CODES.has(String((error as NodeJS.ErrnoException).code)) ||
    CLIENT_MESSAGES.test(error.message) ||
    (error.name === 'ReplyError' && SERVER_REPLIES.test(error.message));
  return isAway ? commonErrors.unavailable({ retryAfterSec: 1, cause: error }) : undefined;
}

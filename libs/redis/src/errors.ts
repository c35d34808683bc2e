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
/** Messages of ioredis for a lost connection; these errors have no code. */
const CLIENT_MESSAGES =
  /^(Connection is closed|Command timed out|Stream isn't writeable|Socket timeout|connect ETIMEDOUT)/;
/** Error replies of a server that cannot serve at the moment. */
const SERVER_REPLIES = /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|NOREPLICAS|OOM) /;

/** 503 `unavailable` (Retry-After 1) for errors that mean that Redis is unavailable, starting or overloaded; undefined for all others. */
export function redisErrors(error: unknown): AppError | undefined {
  if (!isNativeError(error)) return undefined;
  const isOutage =
    error.name === 'MaxRetriesPerRequestError' ||
    SYSTEM_CODES.has(String((error as NodeJS.ErrnoException).code)) ||
    CLIENT_MESSAGES.test(error.message) ||
    (error.name === 'ReplyError' && SERVER_REPLIES.test(error.message));
  return isOutage ? commonErrors.unavailable({ retryAfterSec: 1, cause: error }) : undefined;
}

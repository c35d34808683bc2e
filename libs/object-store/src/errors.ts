import { isNativeError } from 'node:util/types';
import { commonErrors } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';

const NAMES = new Set(['TimeoutError', 'SlowDown', 'ServiceUnavailable', 'InternalError', 'RequestTimeout']);
const SYSTEM_CODES = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH'];
/** An error that is not of this realm (as under jest) comes wrapped in one that has only its text. */
const WRAPPED = new RegExp(`^AWS SDK error wrapper for .*(TimeoutError|socket hang up|${SYSTEM_CODES.join('|')})`);
const MISSING = new Set(['NoSuchKey', 'NotFound']);

interface S3Failure extends Error {
  code?: string;
  $metadata?: { httpStatusCode?: number };
}

/** Whether the store says that there is no such object. */
export const isObjectMissing = (error: unknown): boolean => isNativeError(error) && MISSING.has(error.name);

/**
 * 503 `unavailable` (Retry-After 1) for errors that mean "the store is away or overloaded": no connection, a broken one, a timeout,
 * a status from 500 on or 429. Undefined for all others, aborts included.
 */
export function s3Errors(error: unknown): AppError | undefined {
  return isAway(error) ? commonErrors.unavailable({ retryAfterSec: 1, cause: error }) : undefined;
}

export function isAway(error: unknown): boolean {
  if (!isNativeError(error) || error.name === 'AbortError') return false;
  const { name, message, code, $metadata } = error as S3Failure;
  const status = $metadata?.httpStatusCode ?? 0;
  return (
    NAMES.has(name) || SYSTEM_CODES.includes(code ?? '') || WRAPPED.test(message) || status >= 500 || status === 429
  );
}

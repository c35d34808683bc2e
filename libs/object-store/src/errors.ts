import { isNativeError } from 'node:util/types';
import { commonErrors, isNetworkError, NETWORK_ERROR_CODES, withCauses } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';

const NAMES = new Set(['TimeoutError', 'SlowDown', 'ServiceUnavailable', 'InternalError', 'RequestTimeout']);
/** The store does not accept the credentials: they were replaced and this process has the old ones. */
const REFUSED = new Set(['InvalidAccessKeyId', 'SignatureDoesNotMatch']);
/** The SDK wraps errors of another realm (as under jest) and keeps only their text. */
const WRAPPED = new RegExp(
  `^AWS SDK error wrapper for .*(TimeoutError|socket hang up|${NETWORK_ERROR_CODES.join('|')})`,
);
const MISSING = new Set(['NoSuchKey', 'NotFound']);

interface S3Failure extends Error {
  $metadata?: { httpStatusCode?: number };
}

export const isObjectMissing = (error: unknown): boolean => isNativeError(error) && MISSING.has(error.name);

/**
 * 503 `unavailable` (Retry-After 1) for errors that mean that the store is unavailable or overloaded: no connection or
 * a broken one, an invalid certificate, rejected credentials, a timeout, or a status of 429 or above 499. Also matches
 * causes. Undefined for all others, including aborts.
 */
export function s3Errors(error: unknown): AppError | undefined {
  if (isNativeError(error) && error.name === 'AbortError') return undefined;
  return withCauses(error).some(isOutage) ? commonErrors.unavailable({ retryAfterSec: 1, cause: error }) : undefined;
}

function isOutage(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  const { name, message, $metadata } = error as S3Failure;
  const status = $metadata?.httpStatusCode ?? 0;
  if (NAMES.has(name) || REFUSED.has(name)) return true;
  return isNetworkError(error) || WRAPPED.test(message) || status >= 500 || status === 429;
}

import { isNativeError } from 'node:util/types';
import { commonErrors, isNetworkError, NETWORK_ERROR_CODES, withCauses } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';

const NAMES = new Set(['TimeoutError', 'SlowDown', 'ServiceUnavailable', 'InternalError', 'RequestTimeout']);
/** The store does not know the credentials: they were replaced, and this process has the old ones. */
const REFUSED = new Set(['InvalidAccessKeyId', 'SignatureDoesNotMatch']);
/** The SDK wraps errors of another realm (as under jest) in one that keeps only their text. */
const WRAPPED = new RegExp(
  `^AWS SDK error wrapper for .*(TimeoutError|socket hang up|${NETWORK_ERROR_CODES.join('|')})`,
);
const MISSING = new Set(['NoSuchKey', 'NotFound']);

interface S3Failure extends Error {
  $metadata?: { httpStatusCode?: number };
}

/** Whether the store reports that the object does not exist. */
export const isObjectMissing = (error: unknown): boolean => isNativeError(error) && MISSING.has(error.name);

/**
 * 503 `unavailable` (Retry-After 1) for errors that mean that the store is unavailable or overloaded: no connection, a
 * broken one, a certificate that is not valid, rejected credentials, a timeout, or a status of 429 or from 500 on; also when
 * such an error is the cause of another. Undefined for all others, including aborts.
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

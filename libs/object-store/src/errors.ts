import { isNativeError } from 'node:util/types';
import { commonErrors } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';

const NAMES = new Set(['TimeoutError', 'SlowDown', 'ServiceUnavailable', 'InternalError', 'RequestTimeout']);
const SYSTEM_CODES = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH'];
/** The SDK wraps errors of another realm (as under jest) in one that keeps only their text. */
const WRAPPED = new RegExp(`^AWS SDK error wrapper for .*(TimeoutError|socket hang up|${SYSTEM_CODES.join('|')})`);
const MISSING = new Set(['NoSuchKey', 'NotFound']);

interface S3Failure extends Error {
  code?: string;
  $metadata?: { httpStatusCode?: number };
}

/** Whether the store reports that the object does not exist. */
export const isObjectMissing = (error: unknown): boolean => isNativeError(error) && MISSING.has(error.name);

/**
 * 503 `unavailable` (Retry-After 1) for errors that mean that the store is unavailable or overloaded: no connection, a broken
 * one, a timeout, or a status of 429 or from 500 on. Undefined for all others, including aborts.
 */
export function s3Errors(error: unknown): AppError | undefined {
  return isOutage(error) ? commonErrors.unavailable({ retryAfterSec: 1, cause: error }) : undefined;
}

function isOutage(error: unknown): boolean {
  if (!isNativeError(error) || error.name === 'AbortError') return false;
  const { name, message, code, $metadata } = error as S3Failure;
  const status = $metadata?.httpStatusCode ?? 0;
  return (
    NAMES.has(name) || SYSTEM_CODES.includes(code ?? '') || WRAPPED.test(message) || status >= 500 || status === 429
  );
}

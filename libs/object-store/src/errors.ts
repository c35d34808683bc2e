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
const NAMES = new Set(['TimeoutError', 'SlowDown', 'ServiceUnavailable', 'InternalError', 'RequestTimeout']);
const MISSING = new Set(['NoSuchKey', 'NotFound']);

interface S3Failure extends Error {
  code?: string;
  $metadata?: { httpStatusCode?: number };
}

/** Whether the store says that there is no such object. */
export const isObjectMissing = (error: unknown): boolean => error instanceof Error && MISSING.has(error.name);

/** 503 `unavailable` (Retry-After 1) for errors that mean "the store is away or overloaded"; undefined for all others, aborts included. */
export function s3Errors(error: unknown): AppError | undefined {
  if (!(error instanceof Error) || error.name === 'AbortError') return undefined;
  const { name, code, $metadata } = error as S3Failure;
  const status = $metadata?.httpStatusCode ?? 0;
  const isAway = NAMES.has(name) || SYSTEM_CODES.has(code ?? '') || status >= 500 || status === 429;
  return isAway ? commonErrors.unavailable({ retryAfterSec: 1, cause: error }) : undefined;
}

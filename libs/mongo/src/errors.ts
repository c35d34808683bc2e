import { isNativeError } from 'node:util/types';
import {
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from './driver.js';
import { commonErrors } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';

const DUPLICATE_KEY = 11000;
const MAX_TIME_MS_EXPIRED = 50;
const WRITE_CONFLICT = 112;

/** Codes of the driver specification "Retryable Reads": not primary, shutting down, unreachable. */
const SERVER_UNAVAILABLE = new Set([6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);
const CONNECTION_ERRORS = [
  MongoServerSelectionError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoTopologyClosedError,
  MongoClientClosedError,
];

/** The unique index that a write violated. */
export interface DuplicateKey {
  index: string;
  /** Empty after a bulk write: the driver drops them there. */
  fields: string[];
}

/** Which unique index a write violated; undefined for any other error. */
export function duplicateKeyOf(error: unknown): DuplicateKey | undefined {
  if (!(error instanceof MongoServerError) || error.code !== DUPLICATE_KEY) return undefined;
  // Only the start of the message may be read: values of the document follow, unescaped.
  const index = /^[^{]*? index: (\S+) dup key: /.exec(messageOf(error))?.[1] ?? '';
  return { index, fields: Object.keys((error.keyPattern as object | undefined) ?? {}) };
}

/**
 * Whether a write violated a unique index; with `field`, one that has that field or that name. After a bulk write only the
 * name is known.
 */
export function isDuplicateKey(error: unknown, field?: string): boolean {
  const key = duplicateKeyOf(error);
  return key !== undefined && (field === undefined || key.index === field || key.fields.includes(field));
}

const messageOf = (error: MongoServerError): string =>
  (error instanceof MongoBulkWriteError ? [error.writeErrors].flat()[0]?.errmsg : error.message) ?? '';

/** Whether the server stopped an operation because it exceeded its `maxTimeMS`. */
export const isTimeLimitExceeded = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === MAX_TIME_MS_EXPIRED;

/**
 * 503 `unavailable` (Retry-After 1) for errors that mean that the database is unavailable or overloaded: no server or no
 * address of one found, connection lost or timed out, no primary, write conflicts that outlast the retries, an operation
 * that exceeded its `maxTimeMS` (a service where the caller is to blame asks `isTimeLimitExceeded` first). Undefined for all
 * others.
 */
export function mongoErrors(error: unknown): AppError | undefined {
  if (isFailedLookup(error)) return commonErrors.unavailable({ retryAfterSec: 1, cause: error });
  if (!(error instanceof MongoError)) return undefined;
  // A bulk write wraps what ended it.
  if (error instanceof MongoBulkWriteError && error.errorResponse instanceof MongoError)
    return mongoErrors(error.errorResponse);
  const isUnavailable =
    CONNECTION_ERRORS.some((kind) => error instanceof kind) ||
    error.name === 'MongoWaitQueueTimeoutError' ||
    SERVER_UNAVAILABLE.has(Number(error.code)) ||
    Number(error.code) === WRITE_CONFLICT ||
    isTimeLimitExceeded(error);
  return isUnavailable ? commonErrors.unavailable({ retryAfterSec: 1, cause: error }) : undefined;
}

/** The DNS lookup for `mongodb+srv://` failed; the driver passes the resolver's error through. */
const isFailedLookup = (error: unknown) =>
  isNativeError(error) && (error as NodeJS.ErrnoException).syscall?.startsWith('query') === true;

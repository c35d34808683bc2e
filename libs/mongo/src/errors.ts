import { isNativeError } from 'node:util/types';
import { commonErrors, withCauses } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';
import { BSON, driver, MongoBulkWriteError, MongoError, MongoServerError } from './driver.js';

const DUPLICATE_KEY = 11000;
const MAX_TIME_MS_EXPIRED = 50;
/** Too many levels, bytes that are not a document, or a document that is too large (also after an update). */
const REFUSED_DOCUMENT = new Set<unknown>([15, 22, 10334, 17419, 17420]);
/** These have no error code. */
const TOO_LARGE = /^(object to insert too large|Document is larger than the maximum size)/;

const IN_BSON = /[\\/]node_modules[\\/]bson[\\/]/;

interface DuplicateKey {
  index: string;
  /** Empty after a bulk write, where the driver drops them. */
  fields: string[];
}

/** The unique index that a write violated; undefined for any other error. */
export function duplicateKeyOf(error: unknown): DuplicateKey | undefined {
  if (!(error instanceof MongoServerError) || error.code !== DUPLICATE_KEY) return undefined;
  // Only the start of the message is safe to parse: unescaped values of the document follow.
  const index = /^[^{]*? index: (\S+) dup key: /.exec(messageOf(error))?.[1] ?? '';
  return { index, fields: Object.keys((error.keyPattern as object | undefined) ?? {}) };
}

/**
 * Whether a write violated a unique index; with `field`, one on that field or with that name. After a bulk write only
 * the name is known.
 */
export function isDuplicateKey(error: unknown, field?: string): boolean {
  const key = duplicateKeyOf(error);
  return key !== undefined && (field === undefined || key.index === field || key.fields.includes(field));
}

const messageOf = (error: MongoServerError): string =>
  (error instanceof MongoBulkWriteError ? [error.writeErrors].flat()[0]?.errmsg : error.message) ?? '';

/** Whether the server stopped an operation at its `maxTimeMS`. */
export const isTimeLimitExceeded = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === MAX_TIME_MS_EXPIRED;

/**
 * 503 `unavailable` (Retry-After 1) for errors that mean that the database is unavailable, slow or overloaded: no
 * server or address found, connection lost or timed out, no primary, no majority in time, conflicts that outlast the
 * retries, an exceeded `maxTimeMS` (services where that is the caller's fault check `isTimeLimitExceeded` first). Also
 * matches causes. Undefined for all others.
 */
export function mongoErrors(error: unknown): AppError | undefined {
  for (const one of withCauses(error, wrappedErrors)) {
    if (isOutage(one)) return commonErrors.unavailable({ retryAfterSec: 1, cause: error });
  }
  return undefined;
}

/**
 * 400 for errors that mean that the driver or the server rejects a document or filter as such; retrying does not help.
 * Also matches causes. Undefined for all others.
 */
export function documentErrors(error: unknown): AppError | undefined {
  return withCauses(error, wrappedErrors).some(isRejectedDocument)
    ? commonErrors.badRequest({ message: REFUSED, cause: error })
    : undefined;
}

const REFUSED = 'The database cannot store this data: it is too large, nested too deeply, or contains a reserved name.';

function isRejectedDocument(error: unknown): boolean {
  // This error is about stored data.
  if (error instanceof BSON.BSONOffsetError) return false;
  if (error instanceof MongoServerError && REFUSED_DOCUMENT.has(error.code)) return true;
  if (error instanceof MongoError && TOO_LARGE.test(error.message)) return true;
  return error instanceof BSON.BSONError || exceedsBuffer(error);
}

/** Whether a document overflowed the driver's buffer, which is slightly larger than the maximum document. */
function exceedsBuffer(error: unknown): boolean {
  const { code, stack = '' } = (error ?? {}) as { code?: unknown; stack?: string };
  return code === 'ERR_OUT_OF_RANGE' && IN_BSON.test(stack);
}

const CLASSES = [
  driver.MongoClientClosedError,
  driver.MongoExpiredSessionError,
  driver.MongoNetworkError,
  driver.MongoNotConnectedError,
  driver.MongoOperationTimeoutError,
  driver.MongoServerClosedError,
  driver.MongoStalePrimaryError,
  // For example, no server was found.
  driver.MongoSystemError,
  driver.MongoTopologyClosedError,
  driver.MongoWriteConcernError,
];
/** Classes that the driver does not export. */
const NAMES = new Set(['MongoPoolClosedError', 'MongoWaitQueueTimeoutError']);

/** Labels of errors that the driver or the server considers retryable. */
const LABELS = [
  'TransientTransactionError',
  'UnknownTransactionCommitResult',
  'RetryableWriteError',
  'RetryableError',
  'SystemOverloadedError',
  'ResetPool',
  'PoolRequestedRetry',
  'InterruptInUseConnections',
];

const CODES = new Set([
  ...[6, 7, 89, 202, 9001], // unreachable, network error or timeout
  ...[91, 11600], // shutting down
  ...[133, 189, 10058, 10107, 11602, 13435, 13436], // no primary, or another one
  ...[50, 262], // time limit exceeded
  ...[64, 79, 100], // not confirmed by as many members as required
  134, // majority reads are not possible yet
  ...[24, 46, 112, 117, 251, 290], // lock timeout, conflict, transaction ended by the server
  ...[43, 237], // cursor lost
  ...[365, 462], // overloaded
  14031, // no space on the volume
]);
/** The code for a full volume that the server notices during a write. */
const UNKNOWN_ERROR = 8;
const NO_SPACE = 'No space left on device';

/** Errors that the driver wraps in properties other than `cause`. */
function wrappedErrors(error: object): unknown[] {
  const { errorResponse, err, writeErrors, writeConcernErrors } = error as Record<string, unknown>;
  return [errorResponse, err, writeErrors, writeConcernErrors];
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether an error itself, not its causes, means that the database is unavailable, slow or overloaded. */
function isOutage(error: unknown): boolean {
  if (isFailedLookup(error)) return true;
  if (error instanceof driver.MongoError) {
    if (CLASSES.some((kind) => error instanceof kind) || NAMES.has(error.name)) return true;
    if (LABELS.some((label) => error.hasErrorLabel(label))) return true;
    if (error.code === UNKNOWN_ERROR && error.message.includes(NO_SPACE)) return true;
  } else if (isNativeError(error)) return false;
  return isObject(error) && CODES.has(Number((error as { code?: unknown }).code));
}

/** The DNS lookup for `mongodb+srv://` failed; the driver passes the resolver's error on. */
const isFailedLookup = (error: unknown) =>
  isNativeError(error) && (error as NodeJS.ErrnoException).syscall?.startsWith('query') === true;

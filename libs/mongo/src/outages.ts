import { isNativeError } from 'node:util/types';
import { driver } from './driver.js';

const CLASSES = [
  driver.MongoClientClosedError,
  driver.MongoExpiredSessionError,
  driver.MongoNetworkError,
  driver.MongoNotConnectedError,
  driver.MongoOperationTimeoutError,
  driver.MongoServerClosedError,
  driver.MongoStalePrimaryError,
  // No server was found, for example.
  driver.MongoSystemError,
  driver.MongoTopologyClosedError,
  driver.MongoWriteConcernError,
];
/** Classes that the driver does not export. */
const NAMES = new Set(['MongoPoolClosedError', 'MongoWaitQueueTimeoutError']);

/** With these the driver, or the server, says that another attempt may succeed. */
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

/** Error codes of the server. */
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
/** A full volume that the server notices while it writes is an unknown error to it. */
const UNKNOWN_ERROR = 8;
const NO_SPACE = 'No space left on device';

/** What the driver wraps in other ways than as a cause. */
export function wrappedErrors(error: object): unknown[] {
  const { errorResponse, err, writeErrors, writeConcernErrors } = error as Record<string, unknown>;
  return [errorResponse, err, writeErrors, writeConcernErrors];
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether an error, without its causes, means that the database is unavailable, slow or overloaded. */
export function isOutage(error: unknown): boolean {
  if (isFailedLookup(error)) return true;
  if (error instanceof driver.MongoError) {
    if (CLASSES.some((kind) => error instanceof kind) || NAMES.has(error.name)) return true;
    if (LABELS.some((label) => error.hasErrorLabel(label))) return true;
    if (error.code === UNKNOWN_ERROR && error.message.includes(NO_SPACE)) return true;
  } else if (isNativeError(error)) return false;
  return isObject(error) && CODES.has(Number((error as { code?: unknown }).code));
}

/** The DNS lookup for `mongodb+srv://` failed; the driver passes the resolver's error through. */
const isFailedLookup = (error: unknown) =>
  isNativeError(error) && (error as NodeJS.ErrnoException).syscall?.startsWith('query') === true;

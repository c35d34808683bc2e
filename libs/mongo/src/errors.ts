import { BSON, MongoBulkWriteError, MongoError, MongoServerError } from './driver.js';
import { commonErrors, withCauses } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';
import { isOutage, wrappedErrors } from './outages.js';

const DUPLICATE_KEY = 11000;
const MAX_TIME_MS_EXPIRED = 50;
/** Too many levels, bytes that are not a document, or too many of them (in a document, or in one after an update). */
const REFUSED_DOCUMENT = new Set<unknown>([15, 22, 10334, 17419, 17420]);
/** These have no code of their own. */
const TOO_LARGE = /^(object to insert too large|Document is larger than the maximum size)/;

const IN_BSON = /[\\/]node_modules[\\/]bson[\\/]/;

/** The unique index that a write violated. */
interface DuplicateKey {
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
 * 503 `unavailable` (Retry-After 1) for errors that mean that the database is unavailable, slow or overloaded: no
 * server or no address of one found, connection lost or timed out, no primary, a majority that does not confirm in
 * time, conflicts that outlast the retries, an operation that exceeded its `maxTimeMS` (a service where the caller is
 * to blame asks `isTimeLimitExceeded` first). Also when such an error is the cause of another. Undefined for all
 * others.
 */
export function mongoErrors(error: unknown): AppError | undefined {
  for (const one of withCauses(error, wrappedErrors)) {
    if (isOutage(one)) return commonErrors.unavailable({ retryAfterSec: 1, cause: error });
  }
  return undefined;
}

/**
 * 400 for errors that mean that the driver or the server refuses a document or a filter as such, or that one is the cause of another;
 * trying again gives the same. Undefined for all others.
 */
export function documentErrors(error: unknown): AppError | undefined {
  return withCauses(error, wrappedErrors).some(isRefusedDocument)
    ? commonErrors.badRequest({ message: REFUSED, cause: error })
    : undefined;
}

const REFUSED = 'The database cannot hold what was sent: it is too large, nested too deeply, or has a reserved name.';

function isRefusedDocument(error: unknown): boolean {
  // That is about what the database holds.
  if (error instanceof BSON.BSONOffsetError) return false;
  if (error instanceof MongoServerError && REFUSED_DOCUMENT.has(error.code)) return true;
  if (error instanceof MongoError && TOO_LARGE.test(error.message)) return true;
  return error instanceof BSON.BSONError || exceedsBuffer(error);
}

/** Whether a document has filled the buffer of the driver, which is a little larger than one may be. */
function exceedsBuffer(error: unknown): boolean {
  const { code, stack = '' } = (error ?? {}) as { code?: unknown; stack?: string };
  return code === 'ERR_OUT_OF_RANGE' && IN_BSON.test(stack);
}

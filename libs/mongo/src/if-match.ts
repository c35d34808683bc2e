import type { Model, UpdateQuery } from 'mongoose';
import type { Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { ClientSession } from './driver.js';
import { oneOf } from './filters.js';
import type { Filter } from './filters.js';

interface WriteOptions {
  /** Revisions that permit the write. */
  precondition: Precondition;
  session?: ClientSession;
  /** Further conditions, such as the namespace. */
  filter?: Filter;
}

/**
 * Changes one document and raises its revision, if it has an expected one.
 * @returns the document as `returns` specifies; undefined if it does not exist
 * @throws 412 when it has another revision
 */
export async function updateIfMatch<T>(
  model: Model<T>,
  id: string,
  update: UpdateQuery<T>,
  { precondition, session, filter, returns = 'after' }: WriteOptions & { returns?: 'before' | 'after' },
): Promise<T | undefined> {
  const found = await model.findOneAndUpdate({ ...filter, _id: id, ...revisionIn(precondition) } as never, update, {
    session,
    returnDocument: returns,
    lean: true,
    runValidators: true,
  });
  return (found as T | null) ?? missing(model, id, { precondition, session, filter });
}

/**
 * Deletes one document, if it has an expected revision.
 * @returns the document as it was; undefined if it does not exist
 * @throws 412 when it has another revision
 */
export async function deleteIfMatch<T>(
  model: Model<T>,
  id: string,
  { precondition, session, filter }: WriteOptions,
): Promise<T | undefined> {
  const found = await model.findOneAndDelete({ ...filter, _id: id, ...revisionIn(precondition) } as never, {
    session,
    lean: true,
  });
  return (found as T | null) ?? missing(model, id, { precondition, session, filter });
}

/** The filter for the expected revisions. */
export const revisionIn = (precondition: Precondition): Filter =>
  precondition === undefined ? {} : { _revision: oneOf(precondition) };

/** Undefined if the document does not exist. @throws 412 when only the revision does not match */
async function missing<T>(model: Model<T>, id: string, options: WriteOptions): Promise<undefined> {
  if (options.precondition === undefined) return undefined;
  const exists = await model.exists({ ...options.filter, _id: id } as never).session(options.session ?? null);
  if (exists) throw commonErrors.preconditionFailed();
  return undefined;
}

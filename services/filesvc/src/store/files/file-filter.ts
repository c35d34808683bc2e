import { isTimeLimitExceeded, mongoErrors, MongoServerError, oneOf, scopeFilter, trusted } from '@dtplatform/mongo';
import type { Filter } from '@dtplatform/mongo';
import type { Scope } from '@dtplatform/permissions';
import type { FileQuery } from '../../domain/files/ports.js';
import { comparable } from '../../domain/files/placement.js';
import { errors } from '../../errors.js';

const ROOT = 'root';
/** A permission on a folder holds for everything below it. */
export const PERMITTED_BY = ['_id', 'internal.ancestors'];

/** A query and its scope as one filter, so that a single indexed read returns a full page. */
export function filterOf({ scope, parents, ids, name, tags, status }: FileQuery): Filter {
  const conditions = [scopeFilter(scope, PERMITTED_BY)];
  for (const parent of parents ?? []) conditions.push(parent === ROOT ? atRoot(scope) : { _parents: parent });
  if (ids) conditions.push({ _id: oneOf(ids) });
  if (tags?.length) conditions.push({ _tags: trusted({ $all: tags }) });
  if (status) conditions.push({ _status: status });
  if (name !== undefined) conditions.push({ 'internal.name': trusted({ $regex: comparable(name) }) });
  return conditions.length === 1 ? conditions[0]! : { $and: conditions };
}

/** Whether a query matches everything in its scope. */
export const isUnfiltered = ({ parents, ids, name, tags, status }: FileQuery): boolean =>
  [parents, ids, name, tags, status].every((filter) => filter === undefined);

/** Includes the namespaces if they are known, to make the index selective. */
function atRoot(scope: Scope): Filter {
  if (scope === 'everything') return { _parents: trusted({ $size: 0 }) };
  return { 'internal.rootOf': oneOf([...scope.all, ...scope.some.map(({ namespace }) => namespace)]) };
}

/** MongoDB accepts other regular expressions than RE2. What it rejects is the caller's pattern. */
export function mapQueryErrors(error: unknown, { name }: FileQuery): unknown {
  if (isTimeLimitExceeded(error)) return errors.patternTooSlow({ cause: error });
  const isRefused = name !== undefined && error instanceof MongoServerError && mongoErrors(error) === undefined;
  return isRefused ? errors.invalidPattern({ cause: error }) : error;
}

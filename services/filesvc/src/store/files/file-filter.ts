import type { Filter } from 'mongodb';
import type { Scope } from '@dtplatform/permissions';
import type { File } from '../../domain/files/file.js';
import type { FileQuery } from '../../domain/files/ports.js';

const ROOT = 'root';

/** A query and its scope as one filter, so that a single indexed read returns a full page. */
export function filterOf({ scope, parents, ids, name, tags, status }: FileQuery): Filter<File> {
  const conditions: Filter<File>[] = [inScope(scope)];
  for (const parent of parents ?? []) conditions.push(parent === ROOT ? atRoot(scope) : { _parents: parent });
  if (ids) conditions.push({ _id: { $in: ids } });
  if (tags) conditions.push({ _tags: { $all: tags } });
  if (status) conditions.push({ _status: status });
  if (name !== undefined) conditions.push({ _name: { $regex: name } });
  return conditions.length === 1 ? conditions[0]! : { $and: conditions };
}

/** Whether a query matches everything in its scope. */
export const isUnfiltered = ({ parents, ids, name, tags, status }: FileQuery): boolean =>
  [parents, ids, name, tags, status].every((filter) => filter === undefined);

/** Everything in some namespaces; in others single files and everything below single folders. */
function inScope(scope: Scope): Filter<File> {
  if (scope === 'everything') return {};
  const { all, some } = scope;
  const inAll: Filter<File>[] = all.length > 0 ? [{ _namespaces: { $in: all } }] : [];
  const inSome = some.map(({ namespace, ids }) => ({
    _namespaces: namespace,
    $or: [{ _id: { $in: ids } }, { 'internal.ancestors': { $in: ids } }],
  }));
  const alternatives = [...inAll, ...inSome];
  return alternatives.length === 1 ? alternatives[0]! : { $or: alternatives };
}

/** Includes the namespaces if they are known, to make the index selective. */
function atRoot(scope: Scope): Filter<File> {
  if (scope === 'everything') return { _parents: { $size: 0 } };
  return { 'internal.rootOf': { $in: [...scope.all, ...scope.some.map(({ namespace }) => namespace)] } };
}

/** Whether the caller can read nothing at all. */
export const isNothing = (scope: Scope): boolean =>
  scope !== 'everything' && scope.all.length === 0 && scope.some.length === 0;

import type { Filter } from 'mongodb';
import type { Scope } from '@dtplatform/permissions';
import type { StoredFile } from '../domain/file.js';
import type { FileQuery } from '../domain/ports.js';

const ROOT = 'root';

/** A query as a filter, scope included: one indexed read gives a full page. */
export function filterOf({ scope, parents, ids, name, tags, status }: FileQuery): Filter<StoredFile> {
  const conditions: Filter<StoredFile>[] = [inScope(scope)];
  for (const parent of parents ?? []) conditions.push(parent === ROOT ? atRoot(scope) : { _parents: parent });
  if (ids) conditions.push({ _id: { $in: ids } });
  if (tags) conditions.push({ _tags: { $all: tags } });
  if (status) conditions.push({ _status: status });
  if (name !== undefined) conditions.push({ _name: { $regex: name } });
  return conditions.length === 1 ? conditions[0]! : { $and: conditions };
}

/** Whether a query asks for all that the scope gives. */
export const isUnfiltered = ({ parents, ids, name, tags, status }: FileQuery): boolean =>
  [parents, ids, name, tags, status].every((filter) => filter === undefined);

/** What may be read: all in some namespaces; in others single files, and all below single folders. */
function inScope(scope: Scope): Filter<StoredFile> {
  if (scope === 'everything') return {};
  const { all, some } = scope;
  const inAll: Filter<StoredFile>[] = all.length > 0 ? [{ _namespaces: { $in: all } }] : [];
  const inSome = some.map(({ namespace, ids }) => ({
    _namespaces: namespace,
    $or: [{ _id: { $in: ids } }, { 'internal.ancestors': { $in: ids } }],
  }));
  const alternatives = [...inAll, ...inSome];
  return alternatives.length === 1 ? alternatives[0]! : { $or: alternatives };
}

/** Names the namespaces where they are known, so that the index finds few. */
function atRoot(scope: Scope): Filter<StoredFile> {
  if (scope === 'everything') return { _parents: { $size: 0 } };
  return { 'internal.rootOf': { $in: [...scope.all, ...scope.some.map(({ namespace }) => namespace)] } };
}

/** Whether nothing at all can be read. */
export const isNothing = (scope: Scope): boolean =>
  scope !== 'everything' && scope.all.length === 0 && scope.some.length === 0;

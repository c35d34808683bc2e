import { errors } from '../../../errors.js';
import { lastOf, resolveAttribute, resolveWithin } from '../attributes.js';
import type { AttributePath } from '../attributes.js';
import type { ScimFilter } from '../filter/filter.js';
import { parseFilter } from '../filter/parse-filter.js';

/** What an operation changes: an attribute, or values of one that match a filter, or a part of these. */
export interface Target {
  path: AttributePath;
  /** Of the values of `path`. */
  filter?: ScimFilter;
  /** A sub-attribute of the values. */
  part?: AttributePath;
}

const MAX_LENGTH = 2048;
const VALUE_PATH = /^([^[\]]+)\[(.*)\](?:\.([^[\].]+))?$/s;

/** Reads the path of a PATCH operation (RFC 7644, section 3.5.2). @throws invalidPath, invalidFilter, readOnly */
export function parsePath(text: string): Target {
  const target = findTarget(text);
  if (!target) throw errors.invalidPath();
  if (isReadOnly(target)) throw errors.readOnlyAttribute();
  return target;
}

export const isReadOnly = ({ path }: Target): boolean => path.some(({ mutability }) => mutability === 'readOnly');

/** What a path names; undefined when it is no attribute of a user. @throws invalidPath, invalidFilter */
export function findTarget(text: string): Target | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [, named, filter, part] = VALUE_PATH.exec(text) ?? [undefined, text];
  const path = resolveAttribute(named.trim());
  if (!path) return undefined;
  const last = lastOf(path);
  if (filter === undefined) {
    const isPartOfValues = path.length > 1 && path[path.length - 2]!.multiValued;
    return isPartOfValues ? { path: path.slice(0, -1) as unknown as AttributePath, part: [last] } : { path };
  }
  if (!last.multiValued) throw errors.invalidPath();
  const partPath = part === undefined ? undefined : resolveWithin(last, part);
  if (part !== undefined && !partPath) return undefined;
  return { path, filter: parseFilter(filter, last), part: partPath };
}

import { errors } from '../../../errors.js';
import { lastOf, resolveAttribute, resolveWithin } from '../attributes.js';
import type { AttributePath } from '../attributes.js';
import { canonicalValue } from '../comparable.js';
import type { ScimFilter } from '../filter/filter.js';
import { parseFilter } from '../filter/parse-filter.js';
import {
  addedTo,
  changeAt,
  hasParts,
  isObject,
  listOf,
  selects,
  valueFor,
  withMember,
  withOnePrimary,
} from './values.js';
import type { Values } from './values.js';

/** What an operation changes: an attribute, its values that match a filter, or a part of these. */
interface Target {
  path: AttributePath;
  /** On the values of `path`. */
  filter?: ScimFilter;
  part?: AttributePath;
}

const MAX_LENGTH = 2048;
const VALUE_PATH = /^([^[\]]+)\[(.*)\](?:\.([^[\].]+))?$/s;

/** Parses the path of a PATCH operation (RFC 7644, section 3.5.2). @throws invalidPath, invalidFilter, readOnly */
function parsePath(text: string): Target {
  const target = findTarget(text);
  if (!target) throw errors.invalidPath();
  if (isReadOnly(target)) throw errors.readOnlyAttribute();
  return target;
}

const isReadOnly = ({ path }: Target): boolean => path.some(({ mutability }) => mutability === 'readOnly');

/** Undefined when the path is not an attribute of a user. @throws invalidPath, invalidFilter */
function findTarget(text: string): Target | undefined {
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

/** RFC 7644, section 3.5.2. */
export interface PatchOperation {
  op: 'add' | 'replace' | 'remove';
  path?: string;
  value?: unknown;
}

/**
 * The attributes of a user after the operations, not validated.
 * @throws invalidPath, invalidFilter, noTarget, readOnly, invalidValue
 */
export const applyPatch = (user: Values, operations: readonly PatchOperation[]): Values =>
  operations.reduce(apply, user);

function apply(user: Values, { op, path, value }: PatchOperation): Values {
  if (op === 'remove') {
    if (path === undefined) throw errors.noTarget({ message: 'A remove operation requires a path.' });
    return remove(user, parsePath(unescaped(path)), value);
  }
  if (value === undefined) throw errors.invalidValue({ message: 'The operation requires a value.' });
  if (path !== undefined) return set(user, parsePath(unescaped(path)), op, value);
  if (!isObject(value)) throw errors.invalidValue({ message: 'Without a path the value must be an object.' });
  // Clients send whole resources: ignores unknown and server-set attributes, as a PUT does.
  return Object.entries(value).reduce((changed, [name, part]) => {
    const target = findTarget(unescaped(name));
    return target && !isReadOnly(target) ? set(changed, target, op, part) : changed;
  }, user);
}

/** As in filters, some clients send a backslash before each quote. */
const unescaped = (path: string) => (path[path.indexOf('"') - 1] === '\\' ? path.replaceAll('\\"', '"') : path);

function set(user: Values, target: Target, op: 'add' | 'replace', sent: unknown): Values {
  const { path, filter, part } = target;
  const attribute = lastOf(path);
  const value = canonicalValue(part ? lastOf(part) : attribute, sent);
  if (value === undefined) return remove(user, target, undefined);
  return changeAt(user, path, (current) => {
    if (filter || part) return setWithin(listOf(current), target, op, value);
    if (attribute.multiValued) return op === 'add' ? addedTo(listOf(current), listOf(value)) : listOf(value);
    return attribute.subAttributes && isObject(value) ? merged(current, value) : value;
  });
}

/** Undefined when no known attribute remains. */
function merged(current: unknown, value: Values): Values | undefined {
  const parts = { ...(isObject(current) ? current : {}), ...value };
  return Object.keys(parts).length > 0 ? parts : undefined;
}

function setWithin(values: unknown[], { filter, part }: Target, op: 'add' | 'replace', value: unknown): unknown[] {
  const changed: unknown[] = [];
  const next = values.map((one) => {
    if (!selects(filter, one)) return one;
    const result = setInValue(one, part && lastOf(part).name, op, value);
    changed.push(result);
    return result;
  });
  if (changed.length > 0) return withOnePrimary(next, changed);
  const fresh = filter && op === 'add' ? valueFor(filter) : undefined;
  if (!fresh) throw errors.noTarget();
  return addedTo(values, [setInValue(fresh, part && lastOf(part).name, 'add', value)]);
}

function setInValue(one: unknown, part: string | undefined, op: 'add' | 'replace', value: unknown): unknown {
  if (part !== undefined) return withMember(isObject(one) ? one : {}, part, value);
  return op === 'add' && isObject(one) && isObject(value) ? { ...one, ...value } : value;
}

/** @param sent some identity providers send the values to remove instead of a filter */
function remove(user: Values, { path, filter, part }: Target, sent: unknown): Values {
  const attribute = lastOf(path);
  if (attribute.required && path.length === 1) {
    throw errors.readOnlyAttribute({ message: `${attribute.name} is required and cannot be removed.` });
  }
  return changeAt(user, path, (current) => {
    if (!attribute.multiValued) return undefined;
    const values = listOf(current);
    if (filter && !values.some((one) => selects(filter, one))) throw errors.noTarget();
    const unwanted = sent === undefined || sent === null ? undefined : listOf(canonicalValue(attribute, sent));
    const isMeant = (one: unknown) =>
      selects(filter, one) && (!unwanted || unwanted.some((parts) => hasParts(one, parts)));
    const rest = part
      ? values.map((one) => (isMeant(one) && isObject(one) ? withMember(one, lastOf(part).name, undefined) : one))
      : values.filter((one) => !isMeant(one));
    return rest.length > 0 ? rest : undefined;
  });
}

import { errors } from '../../errors.js';
import { isObject } from './json.js';
import { checkPath } from './paths.js';

const MAX_FIELDS = 200;

/** The fields that a reply includes. `_id` is included unless it is left out by name. */
export interface Projection {
  kind: 'only' | 'without';
  paths: string[];
  withId: boolean;
}

/** Checks a projection: either fields to include or fields to leave out. @throws 400 */
export function parseProjection(json: unknown): Projection | undefined {
  if (!isObject(json)) throw errors.invalidProjection();
  const fields = Object.entries(json).map(([path, value]): [string, boolean] => [
    checkPath(path, errors.invalidProjection),
    parseFlag(value),
  ]);
  if (fields.length === 0) return undefined;
  const id = fields.find(([path]) => path === '_id')?.[1];
  const others = fields.filter(([path]) => path !== '_id');
  const kind = (others[0]?.[1] ?? id) ? 'only' : 'without';
  const isMixed = others.some(([, included]) => included !== (kind === 'only'));
  const paths = others.map(([path]) => path);
  if (isMixed || paths.length > MAX_FIELDS || collide(paths)) throw errors.invalidProjection();
  return { kind, paths, withId: id ?? true };
}

function parseFlag(value: unknown): boolean {
  if (value !== 0 && value !== 1 && typeof value !== 'boolean') throw errors.invalidProjection();
  return Boolean(value);
}

/** Whether one path lies within another. */
function collide(paths: string[]): boolean {
  const all = new Set(paths);
  return paths.some((path) => {
    const segments = path.split('.');
    return segments.some((_, length) => length > 0 && all.has(segments.slice(0, length).join('.')));
  });
}

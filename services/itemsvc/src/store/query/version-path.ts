import { errors } from '../../errors.js';
import { NO_FIELD } from './plain-filter.js';

const VERSIONS = '_versions';

/**
 * The part of a path inside a version, or undefined for a field of the item itself: `_versions._userData.a` gives
 * `_userData.a`, `_versions` alone gives the empty text. `_versions.0` is the latest version, as in replies.
 * @throws 400 for other positions
 */
export function insideVersion(path: string): string | undefined {
  if (path === VERSIONS) return '';
  if (!path.startsWith(`${VERSIONS}.`)) return undefined;
  const [first = '', ...rest] = path.slice(VERSIONS.length + 1).split('.');
  if (!/^\d+$/.test(first)) return [first, ...rest].join('.');
  if (first !== '0') throw errors.invalidQuery({ message: 'Of positions in _versions only 0 can be asked for.' });
  return rest.join('.');
}

/** Where the tip is in a stored item. */
export const TIP = '_tip';

/** Fields of a stored item that callers do not see. */
const HIDDEN = [TIP, '_home', '_revision'];

/** Where a field of a shown item is stored. */
export function storedPath(path: string): string {
  const inside = insideVersion(path);
  if (inside !== undefined) return inside === '' ? TIP : `${TIP}.${inside}`;
  return HIDDEN.includes(path.split('.', 1)[0]!) ? NO_FIELD : path;
}

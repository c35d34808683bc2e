import type { Projection } from '../../domain/query/projection.js';
import { insideVersion, storedPath } from './version-path.js';

type Fields = Record<string, 0 | 1>;

/** A projection for the database. Fields in `hidden` are never part of a reply. */
export function fieldsOf(projection: Projection | undefined, hidden: readonly string[] = []): Fields | undefined {
  const { kind, paths, withId }: Projection = projection ?? { kind: 'without', paths: [], withId: true };
  const visible = paths.filter((path) => !hidden.some((name) => path === name || path.startsWith(`${name}.`)));
  const fields: Fields =
    kind === 'only'
      ? { _id: withId ? 1 : 0, ...flagged(visible, 1) }
      : { ...(withId ? {} : { _id: 0 }), ...flagged([...visible, ...hidden], 0) };
  return Object.keys(fields).length > 0 ? fields : undefined;
}

const flagged = (paths: string[], flag: 0 | 1): Fields => Object.fromEntries(paths.map((path) => [path, flag]));

/** A projection of shown items for stored ones. The id stays: it is needed to find the older versions. */
export const itemProjection = ({ kind, paths }: Projection): Projection => ({
  kind,
  paths: paths.map(storedPath),
  withId: true,
});

/** What a projection of items leaves of their versions: `'all'`, nothing (undefined), or these fields. */
export function versionProjection(projection: Projection | undefined): Projection | 'all' | undefined {
  if (!projection) return 'all';
  const isOnly = projection.kind === 'only';
  const inside = projection.paths.map(insideVersion).filter((path) => path !== undefined);
  if (inside.includes('')) return isOnly ? 'all' : undefined;
  if (inside.length === 0) return isOnly ? undefined : 'all';
  const paths = inside.filter((path) => path !== '_id');
  return { kind: projection.kind, paths, withId: inside.includes('_id') === isOnly };
}

/** Whether a projection leaves a field as a whole. */
export const keeps = ({ kind, paths }: Projection, path: string): boolean => paths.includes(path) === (kind === 'only');

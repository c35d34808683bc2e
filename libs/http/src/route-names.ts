import { scimErrors } from './error-formats.js';
import { inAnyCase, knownNames, withShown } from './known-names.js';
import type { KnownNames } from './known-names.js';
import type { Route, RouteTable } from './route.js';

interface NamesOfRoute {
  query: KnownNames;
  body: KnownNames | undefined;
}

const NONE: KnownNames = { names: new Set() };
const related = new WeakMap<Route, Route[]>();
/** Of SCIM, which reads names of attributes in any letter case (RFC 7643, section 2.1). */
const ofScim = new WeakSet<Route>();
const known = new WeakMap<Route, NamesOfRoute>();

/**
 * Whether `Prefer: handling=strict` counts. Pages and the endpoints of OAuth ignore unknown parameters (RFC 6749, section 3.1).
 */
export const takesPreferences = ({ auth }: Route): boolean => auth !== 'none';

/** Notes which routes show the same resource: callers send back what they have read from one to another. */
export function relateRoutes(tables: readonly RouteTable[]): void {
  const byPath = new Map<string, Route[]>();
  const all = tables.flatMap(({ base, routes }) =>
    routes.map((route) => ({ path: resourcePath(base + route.path), route })),
  );
  for (const { path, route } of all) byPath.set(path, [...(byPath.get(path) ?? []), route]);
  for (const { path, route } of all) related.set(route, byPath.get(path)!);
  for (const { errorFormat, routes } of tables)
    if (errorFormat === scimErrors) routes.forEach((one) => ofScim.add(one));
}

/** The same for a collection and one of its resources. */
const resourcePath = (path: string) => path.replace(/\/$/, '').replace(/\/:\w+$/, '');

/** The names that callers of a route may send. */
export function namesOf(route: Route): NamesOfRoute {
  const before = known.get(route);
  if (before) return before;
  const { query, body, shownBody } = route;
  const sent = body && shownTo(route).reduce(withShown, knownNames(shownBody ?? body));
  const names = {
    query: query ? (knownNames(query) ?? {}) : NONE,
    body: ofScim.has(route) ? inAnyCase(sent) : sent,
  };
  known.set(route, names);
  return names;
}

const shownTo = (route: Route): (KnownNames | undefined)[] =>
  (related.get(route) ?? [route]).flatMap(({ replies }) =>
    Object.values(replies).flatMap((reply) => (reply !== null && 'safeParse' in reply ? [knownNames(reply)] : [])),
  );

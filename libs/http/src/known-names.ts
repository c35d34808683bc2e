import { z } from 'zod';
import { scimErrors } from './error-formats.js';
import type { Route, RouteTable } from './route.js';

/** For object schemas that accept a family of names, such as `_userAttributes.<name>`: which names are meaningful. */
export const furtherNames = z.registry<{ isKnown: (name: string) => boolean }>();

/** The names that a value may have, at each depth. Free-form objects have no entry. */
export interface KnownNames {
  /** Names of an object; undefined if it is free-form. */
  names?: ReadonlySet<string> | undefined;
  isKnown?: (name: string) => boolean;
  fields?: ReadonlyMap<string, KnownNames>;
  /** The known names of an array's entries or a record's values. */
  each?: KnownNames | undefined;
  /** Whether the value is JSON text, as in a parameter. */
  isJson?: boolean;
}

/** The properties of any zod definition that are used here. */
interface Definition {
  type: string;
  innerType?: z.ZodType;
  in?: z.ZodType;
  out?: z.ZodType;
  element?: z.ZodType;
  valueType?: z.ZodType;
  shape?: Record<string, z.ZodType>;
  catchall?: z.ZodType;
  options?: z.ZodType[];
  left?: z.ZodType;
  right?: z.ZodType;
  getter?: () => z.ZodType;
}

const definitionOf = (schema: z.ZodType) => schema.def as unknown as Definition;
const FREE_FORM = new Set(['unknown', 'any', 'custom', 'transform']);

/** Undefined if a schema accepts any name or has none. Recursive schemas are free-form where they recur. */
export function knownNames(schema: z.ZodType): KnownNames | undefined {
  if (found.has(schema)) return found.get(schema);
  found.set(schema, undefined);
  const names = namesIn(schema);
  found.set(schema, names);
  return names;
}
const found = new WeakMap<z.ZodType, KnownNames | undefined>();

function namesIn(schema: z.ZodType): KnownNames | undefined {
  const def = definitionOf(schema);
  if (def.shape) return namesOfObject(schema, def.shape, def.catchall);
  if (def.options) return oneOf(def.options);
  if (def.left && def.right) return oneOf([def.left, def.right]);
  const entries = def.element ?? def.valueType;
  if (entries) return eachOf(knownNames(entries));
  if (def.in && isJson(def.in)) return inJson(knownNames(def.out!));
  const inner = def.innerType ?? def.getter?.() ?? inputOf(def);
  return inner && knownNames(inner);
}

/** Whether a schema parses text declared as JSON. */
function isJson(schema: z.ZodType): boolean {
  const text = definitionOf(schema).in;
  return text !== undefined && z.globalRegistry.get(text)?.contentMediaType === 'application/json';
}

const inJson = (known: KnownNames | undefined) => known && { ...known, isJson: true };

/** The schema before a transformation. For a preprocessing step, the schema of its result. */
const inputOf = ({ in: input, out }: Definition) => (input && definitionOf(input).type === 'transform' ? out : input);

const eachOf = (each: KnownNames | undefined) => each && { each };

function namesOfObject(
  schema: z.ZodType,
  shape: Record<string, z.ZodType>,
  catchall?: z.ZodType,
): KnownNames | undefined {
  const fields = new Map(
    Object.entries(shape).flatMap(([name, field]) => {
      const known = knownNames(field);
      return known ? [[name, known] as const] : [];
    }),
  );
  const further = furtherNames.get(schema);
  const isFree = catchall !== undefined && definitionOf(catchall).type !== 'never' && !further;
  if (isFree) return fields.size > 0 ? { fields } : undefined;
  return { names: new Set(Object.keys(shape)), fields, ...further };
}

/** A name is known if any alternative knows it. Alternatives that are not objects are ignored. */
function oneOf(schemas: z.ZodType[]): KnownNames | undefined {
  const objects = schemas.filter((one) => mayHaveNames(one));
  const all = objects.map((one) => knownNames(one));
  return all.includes(undefined)
    ? undefined
    : all.reduce<KnownNames | undefined>((one, other) => joined(one, other!), undefined);
}

function joined(one: KnownNames | undefined, other: KnownNames): KnownNames {
  if (!one) return other;
  const each = one.each && other.each ? joined(one.each, other.each) : (one.each ?? other.each);
  return { ...one, ...other, names: joinedNames([one, other]), fields: joinedFields(one, other), each };
}

/** Undefined if any of them is free-form. */
function joinedNames(all: KnownNames[]): ReadonlySet<string> | undefined {
  if (all.some(({ names, fields }) => fields && !names)) return undefined;
  const names = all.flatMap((one) => [...(one.names ?? [])]);
  return names.length > 0 ? new Set(names) : undefined;
}

/** Without fields that are free-form in either. */
function joinedFields(one: KnownNames, other: KnownNames): ReadonlyMap<string, KnownNames> {
  const isFree = ({ names, fields }: KnownNames, name: string) => !fields?.has(name) && (names?.has(name) ?? true);
  const fields = [...(one.fields ?? []), ...(other.fields ?? [])].filter(
    ([name]) => !isFree(one, name) && !isFree(other, name),
  );
  const found = new Map<string, KnownNames>();
  for (const [name, field] of fields) found.set(name, joined(found.get(name), field));
  return found;
}

function mayHaveNames(schema: z.ZodType): boolean {
  const def = definitionOf(schema);
  if (def.shape || def.element || def.valueType || def.options || def.left || def.getter) return true;
  const inner = def.innerType ?? inputOf(def);
  return inner ? mayHaveNames(inner) : FREE_FORM.has(def.type);
}

/**
 * Adds the names that responses contain: callers send back what they have read. An object that no response shows may be
 * a copy of another part of the resource.
 */
export function withShown(known: KnownNames | undefined, shown: KnownNames | undefined): KnownNames | undefined {
  if (!known || !shown) return known;
  const entry = entryOf(shown);
  const all = new Set(allNames(entry));
  return known.each ? { ...known, each: widen(known.each, entry, all) } : widen(known, entry, all);
}

/** The entry of a list or page. */
const entryOf = (shown: KnownNames): KnownNames => shown.fields?.get('_list')?.each ?? shown.each ?? shown;

const allNames = ({ names, fields, each }: KnownNames): string[] => [
  ...(names ?? []),
  ...[...(fields ?? [])].flatMap(([name, field]) => [name, ...allNames(field)]),
  ...(each ? allNames(each) : []),
];

function widen(known: KnownNames, shown: KnownNames | undefined, all: ReadonlySet<string>): KnownNames {
  const fields = [...(known.fields ?? [])].map(
    ([name, field]) => [name, widen(field, shown?.fields?.get(name), all)] as const,
  );
  const each = known.each && widen(known.each, shown?.each, all);
  const more = shown ? [...(shown.names ?? []), ...(shown.fields?.keys() ?? [])] : all;
  const names = known.names && new Set([...known.names, ...more]);
  return { ...known, ...(names && { names }), fields: new Map(fields), ...(each && { each }) };
}

/** The same names, case-insensitively. Objects sent in another letter case are not inspected. */
export function inAnyCase(known: KnownNames | undefined): KnownNames | undefined {
  if (!known) return undefined;
  const lower = new Set([...(known.names ?? [])].map((name) => name.toLowerCase()));
  const fields = [...(known.fields ?? [])].map(([name, field]) => [name, inAnyCase(field)!] as const);
  const each = inAnyCase(known.each);
  return { ...known, isKnown: (name) => lower.has(name.toLowerCase()), fields: new Map(fields), ...(each && { each }) };
}

interface NamesOfRoute {
  query: KnownNames;
  body: KnownNames | undefined;
}

const NONE: KnownNames = { names: new Set() };
const related = new WeakMap<Route, Route[]>();
/** SCIM attribute names are case-insensitive (RFC 7643, section 2.1). */
const ofScim = new WeakSet<Route>();
const byRoute = new WeakMap<Route, NamesOfRoute>();

/**
 * Whether `Prefer: handling=strict` applies. Pages and OAuth endpoints ignore unknown parameters (RFC 6749, section
 * 3.1).
 */
export const takesPreferences = ({ auth }: Route): boolean => auth !== 'none';

/** Links routes that show the same resource: callers send what one returned to another. */
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

/** One key for a collection and its resources. */
const resourcePath = (path: string) => path.replace(/\/$/, '').replace(/\/:\w+$/, '');

export function namesOf(route: Route): NamesOfRoute {
  const before = byRoute.get(route);
  if (before) return before;
  const { query, body, shownBody } = route;
  const sent = body && shownTo(route).reduce(withShown, knownNames(shownBody ?? body));
  const names = {
    query: query ? (knownNames(query) ?? {}) : NONE,
    body: ofScim.has(route) ? inAnyCase(sent) : sent,
  };
  byRoute.set(route, names);
  return names;
}

const shownTo = (route: Route): (KnownNames | undefined)[] =>
  (related.get(route) ?? [route]).flatMap(({ responses }) =>
    Object.values(responses).flatMap((response) =>
      response !== null && 'safeParse' in response ? [knownNames(response)] : [],
    ),
  );

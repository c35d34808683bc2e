import { ACTIONS } from '@dtplatform/contracts';
import type { Action, Grant } from '@dtplatform/contracts';

/** Every action at once, as a set of bits. */
const ALL_ACTIONS = (1 << ACTIONS.length) - 1;
const BIT = new Map<string, number>([
  ...ACTIONS.map((action, n): [string, number] => [action, 1 << n]),
  ['*', ALL_ACTIONS],
]);

/** What one caller may do in one namespace: action bits by resource pattern. */
export type Grants = ReadonlyMap<string, number>;

/** Adds up grants: permissions are positive only and cumulative. */
export function compileGrants(grants: Grant[]): Grants {
  const compiled = new Map<string, number>();
  for (const { _irn, _actions } of grants) {
    const bits = _actions.reduce((sum, action) => sum | (BIT.get(action) ?? 0), 0);
    compiled.set(_irn, (compiled.get(_irn) ?? 0) | bits);
  }
  return compiled;
}

/**
 * Whether the grants allow an action on a resource. A resource name has three parts, each of which a pattern names or
 * leaves open, so eight look-ups decide, however many grants there are.
 * @param irn three parts joined by colons, such as `filesvc:file:<id>`; `*` in a part asks for that pattern itself
 */
export function allows(grants: Grants, action: Action | '*', irn: string): boolean {
  const wanted = BIT.get(action) ?? 0;
  let held = 0;
  for (const pattern of patternsOver(irn)) {
    held |= grants.get(pattern) ?? 0;
    if ((held & wanted) === wanted) return wanted !== 0;
  }
  return false;
}

/** The eight patterns that cover a resource name, widest first. */
function patternsOver(irn: string): string[] {
  const first = irn.indexOf(':');
  const second = irn.indexOf(':', first + 1);
  const type = irn.slice(first + 1, second);
  const id = irn.slice(second + 1);
  return [...typePatterns(irn.slice(0, second), irn.slice(0, first), type), ...idPatterns(irn, type, id)];
}

const idPatterns = (irn: string, type: string, id: string) => [
  irn,
  `${irn.slice(0, irn.indexOf(':'))}:*:${id}`,
  `*:${type}:${id}`,
  `*:*:${id}`,
];

const typePatterns = (serviceAndType: string, service: string, type: string) => [
  '*:*:*',
  `${service}:*:*`,
  `${serviceAndType}:*`,
  `*:${type}:*`,
];

/** Ids of single resources of a type on which the grants allow an action; `'*'` when they allow it on all. */
export function allowedIds(grants: Grants, action: Action, serviceAndType: string): string[] | '*' {
  if (allows(grants, action, `${serviceAndType}:*`)) return '*';
  const [service, type] = serviceAndType.split(':');
  const prefixes = new Set([`${service}:${type}:`, `${service}:*:`, `*:${type}:`, '*:*:']);
  const wanted = BIT.get(action) ?? 0;
  const ids = new Set<string>();
  for (const [pattern, bits] of grants) {
    const end = pattern.lastIndexOf(':') + 1;
    if ((bits & wanted) !== 0 && prefixes.has(pattern.slice(0, end))) ids.add(pattern.slice(end));
  }
  return [...ids];
}

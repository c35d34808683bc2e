import { ACTIONS } from '@dtplatform/contracts';
import type { Action, Criteria, Grant } from '@dtplatform/contracts';
import { applies, limitsOf, matches } from './criteria.js';
import type { Details, Fields, Limits } from './criteria.js';
import { PatternGrants } from './pattern-grants.js';

/** All actions, as a bit set. */
const ALL_ACTIONS = (1 << ACTIONS.length) - 1;
const BIT = new Map<string, number>([
  ...ACTIONS.map((action, n): [string, number] => [action, 1 << n]),
  ['*', ALL_ACTIONS],
]);
const bitsOf = (action: string) => BIT.get(action) ?? 0;

/** The grants that have the same limits. */
interface LimitedGrants extends Limits {
  patterns: PatternGrants;
}

/** What one caller may do in one namespace. */
export interface Grants {
  /** Those without criteria. */
  whole: PatternGrants;
  /** Those with criteria. A decision looks at each: objectmodelsvc bounds how many one subject has. */
  limited: LimitedGrants[];
}

/** Compiles grants for look-ups. Grants only ever allow, and they add up. */
export function compileGrants(grants: Grant[]): Grants {
  const whole = new PatternGrants();
  const limited = new Map<string, LimitedGrants>();
  for (const grant of grants) {
    const bits = grant._actions.reduce((sum, action) => sum | bitsOf(action), 0);
    const limits = limitsOf(grant);
    if (!limits) {
      whole.add(grant._irn, bits);
      continue;
    }
    const key = JSON.stringify(limits);
    const same = limited.get(key) ?? { ...limits, patterns: new PatternGrants() };
    limited.set(key, same);
    same.patterns.add(grant._irn, bits);
  }
  return { whole, limited: [...limited.values()] };
}

/**
 * Whether the grants allow an action on a resource. To ask whether they allow it on all resources that match criteria, give
 * the criteria as its fields.
 * @param irn three parts separated by colons, such as `filesvc:file:<id>`; a part `*` asks for that pattern itself
 */
export function allows({ whole, limited }: Grants, action: Action | '*', irn: string, details?: Details): boolean {
  const wanted = bitsOf(action);
  let held = whole.bits(irn, wanted);
  for (const grants of limited) {
    if ((held & wanted) === wanted) break;
    if (applies(grants, details)) held |= grants.patterns.bits(irn, wanted);
  }
  return wanted !== 0 && (held & wanted) === wanted;
}

/** Ids of the resources of a type on which grants without criteria allow an action; `'*'` when they allow it on all. */
export const allowedIds = ({ whole }: Grants, action: Action, serviceAndType: string): string[] | '*' =>
  whole.ids(serviceAndType, bitsOf(action));

/** Criteria, and the ids of a type on which an action is allowed if they match. */
export function allowedByCriteria(
  { limited }: Grants,
  action: Action,
  serviceAndType: string,
): { criteria: Criteria; ids: string[] | '*' }[] {
  return limited
    .filter(({ related }) => related === undefined)
    .map(({ criteria, patterns }) => ({ criteria, ids: patterns.ids(serviceAndType, bitsOf(action)) }))
    .filter(({ ids }) => ids.length > 0);
}

/** Which related items of a resource the grants allow an action on: all, or those that match one of the criteria. */
export function allowedRelated(grants: Grants, action: Action, irn: string, fields: Fields): 'all' | Criteria[] {
  if (allows(grants, action, irn, { fields })) return 'all';
  const wanted = bitsOf(action);
  const criteria: Criteria[] = [];
  for (const { criteria: ofResource, related, patterns } of grants.limited) {
    if (related && matches(ofResource, fields) && (patterns.bits(irn, wanted) & wanted) !== 0) criteria.push(related);
  }
  return criteria.some((one) => Object.keys(one).length === 0) ? 'all' : criteria;
}

import { ACTIONS } from '@dtplatform/contracts';
import type { Action, Criteria, Grant } from '@dtplatform/contracts';
import { IdBits } from './id-bits.js';

/** All actions, as a bit set. */
const ALL_ACTIONS = (1 << ACTIONS.length) - 1;
const BIT = new Map<string, number>([
  ...ACTIONS.map((action, n): [string, number] => [action, 1 << n]),
  ['*', ALL_ACTIONS],
]);
const bitsOf = (action: string) => BIT.get(action) ?? 0;

/** Grants with the same limits. */
interface LimitedGrants extends Limits {
  patterns: PatternGrants;
}

/** One caller's grants in one namespace. */
export interface Grants {
  /** Without criteria. */
  whole: PatternGrants;
  /** With criteria. Each decision checks all of them; objectmodelsvc bounds their number per subject. */
  limited: LimitedGrants[];
}

/** Compiles grants for lookups. Grants only allow, and they add up. */
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
 * Whether the grants allow an action on a resource. To check for all resources that match criteria, pass the criteria
 * as `fields`. Criteria are equalities only, because whether one query implies another cannot be decided in general.
 * @param irn three parts separated by colons, such as `filesvc:file:<id>`; a part `*` asks for the pattern itself
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

/** Ids of a type on which grants without criteria allow an action; `'*'` for all. */
export const allowedIds = ({ whole }: Grants, action: Action, serviceAndType: string): string[] | '*' =>
  whole.ids(serviceAndType, bitsOf(action));

/** Criteria, with the ids of a type on which they allow an action. */
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

/** The related items of a resource on which the grants allow an action: all, or matches of one of the criteria. */
export function allowedRelated(grants: Grants, action: Action, irn: string, fields: Fields): 'all' | Criteria[] {
  if (allows(grants, action, irn, { fields })) return 'all';
  const wanted = bitsOf(action);
  const criteria: Criteria[] = [];
  for (const { criteria: ofResource, related, patterns } of grants.limited) {
    if (related && matches(ofResource, fields) && (patterns.bits(irn, wanted) & wanted) !== 0) criteria.push(related);
  }
  return criteria.some((one) => Object.keys(one).length === 0) ? 'all' : criteria;
}

/** The fields that criteria compare. `'any'` matches all criteria, for a resource that is not known yet. */
export type Fields = Readonly<Record<string, unknown>> | 'any';

/** What a decision uses besides the resource's name. */
export interface Details {
  fields?: Fields;
  /** The fields of a related item, if the decision is about one. */
  related?: Fields;
}

/** The limits of a grant. Empty criteria match everything. */
interface Limits {
  criteria: Criteria;
  /** Set if the grant is for related items only. */
  related: Criteria | undefined;
}

/** Undefined for a grant without limits. */
function limitsOf({ _criteria, _subresourceDesc }: Pick<Grant, '_criteria' | '_subresourceDesc'>) {
  if (!_criteria && !_subresourceDesc) return undefined;
  const related = _subresourceDesc && ((_subresourceDesc._criteria ?? {}) as Criteria);
  return { criteria: (_criteria ?? {}) as Criteria, related } satisfies Limits;
}

/** Whether all criteria match. An array matches if one of its elements does, as in MongoDB. */
export function matches(criteria: Criteria, fields: Fields | undefined): boolean {
  if (fields === 'any') return true;
  for (const name of Object.keys(criteria)) {
    const value = fields && Object.hasOwn(fields, name) ? fields[name] : undefined;
    const wanted = criteria[name];
    if (Array.isArray(value) ? !value.includes(wanted) : value !== wanted) return false;
  }
  return true;
}

const applies = ({ criteria, related }: Limits, details: Details | undefined): boolean =>
  matches(criteria, details?.fields) &&
  (related === undefined || (details?.related !== undefined && matches(related, details.related)));

/** Action bits of one pattern of service and type (`filesvc:file`, `filesvc:*`): for all ids, and by id. */
interface TypeGrants {
  all: number;
  byId: IdBits;
}

/** Grants of all patterns that match one service and type. */
interface Covering {
  all: number;
  byId: IdBits[];
}

const MAX_KNOWN_TYPES = 100;

/**
 * Action bits by pattern. A lookup takes a few steps regardless of the number of patterns: each part of a pattern is
 * exact or `*`, so at most four patterns match a type, and the id is looked up in each. About a million lookups per
 * second with a million patterns, measured as in `id-bits.ts`.
 */
class PatternGrants {
  readonly #byType = new Map<string, TypeGrants>();
  readonly #covering = new Map<string, Covering>();

  add(irn: string, bits: number): void {
    const end = endOfType(irn);
    const [type, id] = [irn.slice(0, end), irn.slice(end + 1)];
    const grants = this.#byType.get(type) ?? { all: 0, byId: new IdBits() };
    this.#byType.set(type, grants);
    if (id === '*') grants.all |= bits;
    else grants.byId.add(id, bits);
  }

  /**
   * The action bits of a resource; may be incomplete once they include the wanted ones.
   * @param irn three parts separated by colons, such as `filesvc:file:<id>`; a part `*` asks for the pattern itself
   */
  bits(irn: string, wanted: number): number {
    const end = endOfType(irn);
    const { all, byId } = this.#over(irn.slice(0, end));
    let held = all;
    for (const ids of byId) {
      if ((held & wanted) === wanted) break;
      held |= ids.get(irn, end + 1);
    }
    return held;
  }

  /**
   * Ids of a type with any of the wanted bits; `'*'` if all have one.
   * @param type service and type, such as `filesvc:file`
   */
  ids(type: string, wanted: number): string[] | '*' {
    const { all, byId } = this.#over(type);
    if ((all & wanted) !== 0) return '*';
    const ids = new Set<string>();
    for (const bitsById of byId) for (const [id, bits] of bitsById.entries()) if ((bits & wanted) !== 0) ids.add(id);
    return [...ids];
  }

  #over(type: string): Covering {
    const known = this.#covering.get(type);
    if (known) return known;
    const grants = [...patternsOver(type)].flatMap((pattern) => this.#byType.get(pattern) ?? []);
    const covering = {
      all: grants.reduce((sum, { all }) => sum | all, 0),
      byId: grants.map(({ byId }) => byId).filter(({ size }) => size > 0),
    };
    // There are few types. Requests for made-up ones must not fill the memory.
    if (this.#covering.size >= MAX_KNOWN_TYPES) this.#covering.clear();
    this.#covering.set(type, covering);
    return covering;
  }
}

const endOfType = (irn: string) => irn.indexOf(':', irn.indexOf(':') + 1);

/** The patterns that match a service and type; each part is exact or `*`. */
function patternsOver(type: string): Set<string> {
  const [service, name] = type.split(':');
  return new Set([`${service}:${name}`, `${service}:*`, `*:${name}`, '*:*']);
}

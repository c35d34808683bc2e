import { ACTIONS } from '@dtplatform/contracts';
import type { Action, Grant } from '@dtplatform/contracts';
import { IdBits } from './id-bits.js';

/** All actions, as a bit set. */
const ALL_ACTIONS = (1 << ACTIONS.length) - 1;
const BIT = new Map<string, number>([
  ...ACTIONS.map((action, n): [string, number] => [action, 1 << n]),
  ['*', ALL_ACTIONS],
]);

/** Grants for one pattern of service and type (`filesvc:file`, `filesvc:*`): action bits for all ids, and by id. */
interface TypeGrants {
  all: number;
  byId: IdBits;
}

/** Grants for one service and type, from all patterns that match it. */
interface Covering {
  all: number;
  byId: IdBits[];
}

/** What one caller may do in one namespace. */
export class Grants {
  readonly #byType = new Map<string, TypeGrants>();
  readonly #covering = new Map<string, Covering>();

  add({ _irn, _actions }: Grant): void {
    const [type, id] = splitIrn(_irn);
    const bits = _actions.reduce((sum, action) => sum | bitsOf(action), 0);
    const grants = this.#byType.get(type) ?? { all: 0, byId: new IdBits() };
    this.#byType.set(type, grants);
    if (id === '*') grants.all |= bits;
    else grants.byId.add(id, bits);
  }

  /** @param type service and type, such as `filesvc:file` */
  covering(type: string): Covering {
    const known = this.#covering.get(type);
    if (known) return known;
    const grants = [...patternsOver(type)].flatMap((pattern) => this.#byType.get(pattern) ?? []);
    const covering = {
      all: grants.reduce((sum, { all }) => sum | all, 0),
      byId: grants.map(({ byId }) => byId).filter(({ size }) => size > 0),
    };
    // There are few types; requests for made-up ones must not fill the memory.
    if (this.#covering.size >= MAX_KNOWN_TYPES) this.#covering.clear();
    this.#covering.set(type, covering);
    return covering;
  }
}

const MAX_KNOWN_TYPES = 100;

/** Compiles grants for look-ups. Grants only ever allow, and they add up. */
export function compileGrants(grants: Grant[]): Grants {
  const compiled = new Grants();
  for (const grant of grants) compiled.add(grant);
  return compiled;
}

/**
 * Whether the grants allow an action on a resource. Takes a few look-ups, however many grants there are: each part of a
 * pattern is either exact or `*`, so at most four patterns match a type, and the id is looked up in each of them. About a
 * million decisions per second with a million grants, measured as in `id-bits.ts`.
 * @param irn three parts separated by colons, such as `filesvc:file:<id>`; a part `*` asks for that pattern itself
 */
export function allows(grants: Grants, action: Action | '*', irn: string): boolean {
  const wanted = bitsOf(action);
  const end = endOfType(irn);
  const { all, byId } = grants.covering(irn.slice(0, end));
  let held = all;
  for (const ids of byId) {
    if ((held & wanted) === wanted) break;
    held |= ids.get(irn, end + 1);
  }
  return wanted !== 0 && (held & wanted) === wanted;
}

/** Ids of the resources of a type on which the grants allow an action; `'*'` when they allow it on all. */
export function allowedIds(grants: Grants, action: Action, serviceAndType: string): string[] | '*' {
  const wanted = bitsOf(action);
  const { all, byId } = grants.covering(serviceAndType);
  if ((all & wanted) !== 0) return '*';
  const ids = new Set<string>();
  for (const bitsById of byId) for (const [id, bits] of bitsById.entries()) if ((bits & wanted) !== 0) ids.add(id);
  return [...ids];
}

const bitsOf = (action: string) => BIT.get(action) ?? 0;

/** Splits `filesvc:file:1` into `filesvc:file` and `1`. */
function splitIrn(irn: string): [type: string, id: string] {
  const end = endOfType(irn);
  return [irn.slice(0, end), irn.slice(end + 1)];
}

const endOfType = (irn: string) => irn.indexOf(':', irn.indexOf(':') + 1);

/** The patterns that match a service and type: each part exact or `*`. */
function patternsOver(type: string): Set<string> {
  const [service, name] = type.split(':');
  return new Set([`${service}:${name}`, `${service}:*`, `*:${name}`, '*:*']);
}

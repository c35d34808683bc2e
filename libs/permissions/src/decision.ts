import { ACTIONS } from '@dtplatform/contracts';
import type { Action, Grant } from '@dtplatform/contracts';
import { IdBits } from './id-bits.js';

/** Every action at once, as a set of bits. */
const ALL_ACTIONS = (1 << ACTIONS.length) - 1;
const BIT = new Map<string, number>([
  ...ACTIONS.map((action, n): [string, number] => [action, 1 << n]),
  ['*', ALL_ACTIONS],
]);

/** What is granted under one pattern of service and type (`filesvc:file`, `filesvc:*`): action bits for all ids and by id. */
interface TypeGrants {
  all: number;
  byId: IdBits;
}

/** What is granted for one service and type, by all patterns that cover it. */
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
    // Types are few; whoever asks for others must not fill the memory.
    if (this.#covering.size >= MAX_KNOWN_TYPES) this.#covering.clear();
    this.#covering.set(type, covering);
    return covering;
  }
}

const MAX_KNOWN_TYPES = 100;

/** Adds up grants: permissions are positive only and cumulative. */
export function compileGrants(grants: Grant[]): Grants {
  const compiled = new Grants();
  for (const grant of grants) compiled.add(grant);
  return compiled;
}

/**
 * Whether the grants allow an action on a resource. Takes a few look-ups, however many grants there are: the parts of a
 * name are each as a pattern names them or open, so what covers a type is known, and the id is looked up there.
 * @param irn three parts joined by colons, such as `filesvc:file:<id>`; `*` in a part asks for that pattern itself
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

/** Ids of single resources of a type on which the grants allow an action; `'*'` when they allow it on all. */
export function allowedIds(grants: Grants, action: Action, serviceAndType: string): string[] | '*' {
  const wanted = bitsOf(action);
  const { all, byId } = grants.covering(serviceAndType);
  if ((all & wanted) !== 0) return '*';
  const ids = new Set<string>();
  for (const bitsById of byId) for (const [id, bits] of bitsById.entries()) if ((bits & wanted) !== 0) ids.add(id);
  return [...ids];
}

const bitsOf = (action: string) => BIT.get(action) ?? 0;

/** `filesvc:file:1` as `filesvc:file` and `1`. */
function splitIrn(irn: string): [type: string, id: string] {
  const end = endOfType(irn);
  return [irn.slice(0, end), irn.slice(end + 1)];
}

const endOfType = (irn: string) => irn.indexOf(':', irn.indexOf(':') + 1);

/** The patterns of service and type that cover one: each part as it is, or open. */
function patternsOver(type: string): Set<string> {
  const [service, name] = type.split(':');
  return new Set([`${service}:${name}`, `${service}:*`, `*:${name}`, '*:*']);
}

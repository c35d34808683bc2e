import { IdBits } from './id-bits.js';

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

const MAX_KNOWN_TYPES = 100;

/**
 * Action bits by patterns of resource names. A question takes a few look-ups, however many patterns there are: each part of a
 * pattern is either exact or `*`, so at most four patterns match a type, and the id is looked up in each of them. About a
 * million questions per second with a million patterns, measured as in `id-bits.ts`.
 */
export class PatternGrants {
  readonly #byType = new Map<string, TypeGrants>();
  readonly #covering = new Map<string, Covering>();

  /** Adds action bits to those of a pattern. */
  add(irn: string, bits: number): void {
    const end = endOfType(irn);
    const [type, id] = [irn.slice(0, end), irn.slice(end + 1)];
    const grants = this.#byType.get(type) ?? { all: 0, byId: new IdBits() };
    this.#byType.set(type, grants);
    if (id === '*') grants.all |= bits;
    else grants.byId.add(id, bits);
  }

  /**
   * The action bits of a resource; not necessarily all of them once they contain the wanted ones.
   * @param irn three parts separated by colons, such as `filesvc:file:<id>`; a part `*` asks for that pattern itself
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
   * The ids of a type that have one of the wanted bits; `'*'` when all have.
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
    // There are few types; requests for made-up ones must not fill the memory.
    if (this.#covering.size >= MAX_KNOWN_TYPES) this.#covering.clear();
    this.#covering.set(type, covering);
    return covering;
  }
}

const endOfType = (irn: string) => irn.indexOf(':', irn.indexOf(':') + 1);

/** The patterns that match a service and type: each part exact or `*`. */
function patternsOver(type: string): Set<string> {
  const [service, name] = type.split(':');
  return new Set([`${service}:${name}`, `${service}:*`, `*:${name}`, '*:*']);
}

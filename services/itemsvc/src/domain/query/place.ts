import { errors } from '../../errors.js';
import type { Expression } from './expression.js';

const MAX_DEPTH = 10;
const MAX_NODES = 200;

/** Where in a query the parser is. */
export interface Place {
  depth: number;
  /** Whatever matches the query must match here: at the top, or below `$and` alone. */
  isRequired: boolean;
  /** The paths are those of fields inside another one (`$elemMatch`). */
  isInside: boolean;
  /** What was found so far. */
  found: { nodes: number; allVersions: boolean; mayHaveText: boolean };
  /** Parses a query inside this one (`$elemMatch`). */
  parse: (json: unknown, place: Place) => Expression;
}

/** @throws 400 when the query has too many conditions */
export function countNode({ found }: Place): void {
  found.nodes += 1;
  if (found.nodes > MAX_NODES)
    throw errors.queryTooComplex({ message: `The query has more than ${MAX_NODES} conditions.` });
}

/** One level further down. @throws 400 when that is too deep */
export function below(place: Place, isRequired = false): Place {
  if (place.depth >= MAX_DEPTH)
    throw errors.queryTooComplex({ message: `The query is nested more than ${MAX_DEPTH} levels deep.` });
  return { ...place, depth: place.depth + 1, isRequired };
}

import type { Criteria, Grant } from '@dtplatform/contracts';

/**
 * The fields of a resource, with which criteria are compared. `'any'` stands for a resource that matches whatever is asked: it
 * is not known yet.
 */
export type Fields = Readonly<Record<string, unknown>> | 'any';

/** What a decision knows of a resource besides its name. */
export interface Details {
  fields?: Fields;
  /** The fields of a related item of the resource, if the decision is about that. */
  related?: Fields;
}

/** What a grant is limited to. Empty criteria match everything. */
export interface Limits {
  criteria: Criteria;
  /** Set if the grant holds for related items only. */
  related: Criteria | undefined;
}

/** The limits of a grant; undefined for a grant without any. */
export function limitsOf({ _criteria, _subresourceDesc }: Pick<Grant, '_criteria' | '_subresourceDesc'>) {
  if (!_criteria && !_subresourceDesc) return undefined;
  const related = _subresourceDesc && ((_subresourceDesc._criteria ?? {}) as Criteria);
  return { criteria: (_criteria ?? {}) as Criteria, related } satisfies Limits;
}

/** Whether all fields have the values of the criteria. An array has each of its elements as a value, as in MongoDB. */
export function matches(criteria: Criteria, fields: Fields | undefined): boolean {
  if (fields === 'any') return true;
  for (const name of Object.keys(criteria)) {
    const value = fields && Object.hasOwn(fields, name) ? fields[name] : undefined;
    const wanted = criteria[name];
    if (Array.isArray(value) ? !value.includes(wanted) : value !== wanted) return false;
  }
  return true;
}

/** Whether a grant with these limits holds for a resource. */
export const applies = ({ criteria, related }: Limits, details: Details | undefined): boolean =>
  matches(criteria, details?.fields) &&
  (related === undefined || (details?.related !== undefined && matches(related, details.related)));

import { isKeptExactly } from '@dtplatform/contracts';
import { oneOf, scopeFilter } from '@dtplatform/mongo';
import type { Filter } from '@dtplatform/mongo';
import type { WorkspaceQuery } from '../../domain/workspaces/ports.js';
import { matchesGlob } from '../glob-filter.js';

/** Matches the workspaces that satisfy the query and that the caller may see. */
export function workspaceFilter({ visible, fields, attributes, text }: WorkspaceQuery): Filter {
  const conditions: Filter[] = [];
  if (visible !== 'everything') conditions.push(scopeFilter(visible));
  for (const [field, values] of Object.entries(fields)) conditions.push({ [field]: oneOf(values) });
  for (const [path, values] of Object.entries(attributes)) {
    conditions.push({ [`_userAttributes.${path}`]: oneOf(values.flatMap(asStored)) });
  }
  if (text !== undefined) conditions.push(matchesGlob(text, ['_name', '_shortName', '_description']));
  return conditions.length > 0 ? { $and: conditions } : {};
}

/** Query parameters are text, but the attribute may be a number or a boolean. */
function asStored(value: string): unknown[] {
  // A number that a double does not hold must not find another one.
  const asNumber = value.trim() !== '' && isKeptExactly(value) ? Number(value) : NaN;
  return [
    value,
    ...(Number.isFinite(asNumber) ? [asNumber] : []),
    ...(value === 'true' || value === 'false' ? [value === 'true'] : []),
  ];
}

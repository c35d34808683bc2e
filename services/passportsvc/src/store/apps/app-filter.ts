import { oneOf, scopeFilter } from '@dtplatform/mongo';
import type { Filter } from '@dtplatform/mongo';
import type { AppQuery, VisibleApps } from '../../domain/apps/ports.js';
import { matchesGlob } from '../glob-filter.js';

/** Matches the apps that satisfy the query and that the caller may see. */
export function appFilter({ visible, fields, text }: AppQuery): Filter {
  const conditions: Filter[] = [];
  if (visible !== 'everything') conditions.push(seen(visible));
  for (const [field, values] of Object.entries(fields)) conditions.push({ [field]: oneOf(values) });
  if (text !== undefined) conditions.push(matchesGlob(text, ['_name', '_shortName']));
  return conditions.length > 0 ? { $and: conditions } : {};
}

function seen({ scope, ownerId, orgId }: Exclude<VisibleApps, 'everything'>): Filter {
  const filters: Filter[] = [scopeFilter(scope)];
  if (ownerId !== undefined) filters.push({ _ownerId: ownerId });
  if (orgId !== undefined) filters.push({ _orgId: orgId });
  return { $or: filters };
}

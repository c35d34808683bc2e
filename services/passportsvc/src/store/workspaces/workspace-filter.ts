import escapeStringRegexp from 'escape-string-regexp';
import type { Filter } from 'mongodb';
import type { Scope } from '@dtplatform/permissions';
import type { WorkspaceQuery } from '../../domain/workspaces/ports.js';
import type { Workspace } from '../../domain/workspaces/workspace.js';

/** Matches the workspaces that satisfy the query and that the caller may see. */
export function workspaceFilter(query: WorkspaceQuery): Filter<Workspace> {
  const conditions: Filter<Workspace>[] = [];
  if (query.visible !== 'everything') conditions.push(visibleIn(query.visible));
  if (query.names) conditions.push({ _name: { $in: query.names } });
  if (query.userTypes) conditions.push({ _userType: { $in: query.userTypes } });
  if (query.shortNames) conditions.push({ _shortName: { $in: query.shortNames } });
  for (const [path, values] of Object.entries(query.attributes)) {
    conditions.push({ [`_userAttributes.${path}`]: { $in: values.flatMap(asStored) } });
  }
  if (query.text !== undefined) conditions.push(matchesText(query.text));
  return conditions.length > 0 ? { $and: conditions } : {};
}

function visibleIn({ all, some }: Exclude<Scope, 'everything'>): Filter<Workspace> {
  return {
    $or: [
      { _namespaces: { $in: all } },
      ...some.map(({ namespace, ids }) => ({ _namespaces: namespace, _id: { $in: ids } })),
    ],
  };
}

/** Query parameters are text, but the attribute may be a number or a boolean. */
function asStored(value: string): unknown[] {
  const asNumber = value.trim() === '' ? NaN : Number(value);
  return [
    value,
    ...(Number.isFinite(asNumber) ? [asNumber] : []),
    ...(value === 'true' || value === 'false' ? [value === 'true'] : []),
  ];
}

function matchesText(text: string): Filter<Workspace> {
  const parts = text.split('*').map(escapeStringRegexp);
  const pattern = parts.length === 1 ? parts[0]! : `^${parts.join('.*')}$`;
  const match = { $regex: pattern, $options: 'is' };
  return { $or: [{ _name: match }, { _shortName: match }, { _description: match }] };
}

import type { Access } from '@dtplatform/permissions';
import { allowedRelated } from '../relateditems/collections.js';
import type { BoundCollections } from './ports.js';
import type { TelemetryConfig, TelemetryConfigChange } from './telemetry-config.js';

/**
 * A configuration writes readings with nobody's rights, so whoever lets it write to a collection needs the right to create
 * all related items there. Ids of collections are generated: one that does not exist cannot become somebody else's.
 * @throws 403
 */
export async function requireBound(
  { userItemIds, _namespaces }: { userItemIds: string[]; _namespaces: string[] },
  collections: BoundCollections,
  access: Access,
): Promise<void> {
  for (const userItemId of userItemIds) {
    const item = await collections.find(userItemId, _namespaces);
    if (!item) continue;
    const shared = _namespaces.filter((namespace) => item._namespaces.includes(namespace));
    const allowed = await Promise.all(shared.map((namespace) => allowedRelated(access, 'CREATE', item, namespace)));
    if (!allowed.includes('all')) throw await access.refusal('CREATE', item._irn, shared);
  }
}

/** The collections of a configuration. */
export const boundIn = ({ _configData }: Pick<TelemetryConfig, '_configData'>): string[] => [
  ...new Set(_configData._bindings.map(({ collectionDesc }) => collectionDesc._userItemId)),
];

/** Those that a change adds; all of them when it adds a namespace, where other collections are found. */
export function newlyBound(config: TelemetryConfig, change: Partial<TelemetryConfigChange>): string[] {
  const changed = { ...config, ...change };
  if (changed._namespaces.some((namespace) => !config._namespaces.includes(namespace))) return boundIn(changed);
  const before = new Set(boundIn(config));
  return boundIn(changed).filter((id) => !before.has(id));
}

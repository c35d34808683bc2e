import type { AsyncTask, Listing, Paging, PermissionEntry, Precondition } from '@dtplatform/contracts';
import { requireDeletion, requireMove, requireOwnTask } from '@dtplatform/permissions';
import type { Access, Placed } from '@dtplatform/permissions';
import type { ResponseLinks } from '../asynctasks/async-tasks.js';
import { errors } from '../errors.js';
import { metadataOf } from '../nameduseritems/item-metadata.js';
import { allowedRelated } from '../relateditems/collections.js';
import { checkConfigSize, CONFIG_ACTIONS, CONFIG_TYPE, newTelemetryConfig } from './telemetry-config.js';
import type {
  ListedTelemetryConfig,
  NewTelemetryConfig,
  TelemetryConfig,
  TelemetryConfigChange,
} from './telemetry-config.js';
import type { BoundCollections, TelemetryConfigStore } from './telemetry-configs.store.js';

export interface AcceptedRequest {
  byId: string;
  bodyBytes: number;
}

export type WantedChange = { precondition: Precondition } & (
  | {
      kind: 'update';
      change: TelemetryConfigChange & { _home?: string };
      /** Granted to the caller with the change. */
      grants: PermissionEntry[];
    }
  | {
      kind: 'delete';
      /** Where the configuration remains, if anywhere. */
      left: Placed | undefined;
    }
);

interface ChangeContext {
  /** `nsfilter` */
  namespace: string;
  bodyBytes: number;
  access: Access;
  precondition: Precondition;
}

interface Deps {
  configStore: TelemetryConfigStore;
  boundCollections: BoundCollections;
  links: ResponseLinks;
}

export function createTelemetryConfigs({ configStore, boundCollections, links }: Deps) {
  return {
    find: (id: string, namespace: string): Promise<TelemetryConfig | undefined> => configStore.find(id, namespace),

    /**
     * Accepts the creation of a configuration. @returns the id of the task
     * @throws namespaceNotIncluded, payloadTooLarge, 403 if the caller may not create all related items in a bound
     * collection
     */
    async create(
      wanted: NewTelemetryConfig,
      { namespace, bodyBytes }: { namespace: string; bodyBytes: number },
      access: Access,
    ): Promise<string> {
      if (!wanted._namespaces.includes(namespace)) throw errors.namespaceNotIncluded();
      const byId = access.principal.id;
      const config = newTelemetryConfig(wanted, namespace, configStore.newId(), metadataOf({ byId, at: Date.now() }));
      checkConfigSize(config);
      await requireBound({ ...config, userItemIds: boundIn(config) }, boundCollections, access);
      await access.own(config);
      return configStore.accept(config, { byId, bodyBytes });
    },

    /**
     * Accepts a change. @returns the id of the task
     * @throws 403 as `requireMove`, or if the caller may not create all related items in an added collection
     */
    async update(
      config: TelemetryConfig,
      change: TelemetryConfigChange,
      { namespace, bodyBytes, access, precondition }: ChangeContext,
    ): Promise<string> {
      const coming = await configStore.placeAfterWaiting(config);
      const { _namespaces = coming._namespaces } = change;
      if (!_namespaces.includes(namespace)) throw errors.namespaceNotIncluded();
      const { _irn } = config;
      const move = { after: { _irn, _namespaces }, actions: CONFIG_ACTIONS, context: namespace };
      const { home, grants } = await requireMove(access, { _irn, ...coming }, move);
      const userItemIds = newlyBound(config, { ...change, _namespaces });
      await requireBound({ userItemIds, _namespaces }, boundCollections, access);
      checkConfigSize({ ...config, ...change });
      const byId = access.principal.id;
      const placed = { ...change, ...(change._namespaces && { _home: home }) };
      const wanted = { kind: 'update' as const, change: placed, grants, precondition };
      return configStore.acceptChange(config, wanted, coming, { byId, bodyBytes });
    },

    /** Accepts the deletion. @returns the id of the task @throws 403 as `requireDeletion`, 404 */
    async remove(
      id: string,
      {
        namespace,
        bodyBytes,
        access,
        precondition,
      }: Omit<ChangeContext, 'namespace'> & { namespace: string | undefined },
    ): Promise<string> {
      const config = await access.require('DELETE', await configStore.find(id, namespace));
      const coming = await configStore.placeAfterWaiting(config);
      const left = await requireDeletion(access, { _irn: config._irn, ...coming }, namespace);
      const byId = access.principal.id;
      return configStore.acceptChange(config, { kind: 'delete', left, precondition }, coming, { byId, bodyBytes });
    },

    /** The readable configurations of one namespace, or of all. */
    list: async (
      namespace: string | undefined,
      paging: Paging,
      access: Access,
    ): Promise<Listing<ListedTelemetryConfig>> =>
      configStore.list(
        await access.scope('READ', CONFIG_TYPE, namespace === undefined ? undefined : [namespace]),
        paging,
      ),

    /** @throws 404 unless the caller may see the task */
    getTask: async (id: string, access: Access): Promise<AsyncTask> =>
      links.shorten(await requireOwnTask(await configStore.findTask(id), access)),
  };
}

export type TelemetryConfigs = ReturnType<typeof createTelemetryConfigs>;

/**
 * A configuration stores readings with no user's rights, so the caller needs CREATE on all related items of the
 * collections it binds. Ids of collections are generated, so a missing collection cannot later become somebody else's.
 * @throws 403
 */
async function requireBound(
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

const boundIn = ({ _configData }: Pick<TelemetryConfig, '_configData'>): string[] => [
  ...new Set(_configData._bindings.map(({ collectionDesc }) => collectionDesc._userItemId)),
];

/** Collections that a change adds. All of them if it adds a namespace, where the ids may resolve to others. */
function newlyBound(config: TelemetryConfig, change: Partial<TelemetryConfigChange>): string[] {
  const changed = { ...config, ...change };
  if (changed._namespaces.some((namespace) => !config._namespaces.includes(namespace))) return boundIn(changed);
  const before = new Set(boundIn(config));
  return boundIn(changed).filter((id) => !before.has(id));
}

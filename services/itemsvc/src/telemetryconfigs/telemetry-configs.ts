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

/** A call that is accepted as a task. */
export interface AcceptedRequest {
  byId: string;
  bodyBytes: number;
}

/** What a call wants to do to a configuration that exists. */
export type WantedChange = { precondition: Precondition } & (
  | {
      kind: 'update';
      change: TelemetryConfigChange & { _home?: string };
      /** What the caller gets once the change is made. */
      grants: PermissionEntry[];
    }
  | {
      kind: 'delete';
      /** Where it stays, if anywhere. */
      left: Placed | undefined;
    }
);

/** A call that changes a configuration. */
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
     * Accepts a configuration to be created. Gives the id of the task.
     * @throws namespaceNotIncluded, payloadTooLarge, 403 when it names a collection where the caller may not create all related
     * items
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
     * Accepts a change of a configuration. Gives the id of the task.
     * @throws 403 as `requireMove` when it would enter or leave a namespace, or when it adds a collection where the caller may not
     * create all related items
     */
    async update(
      config: TelemetryConfig,
      change: TelemetryConfigChange,
      { namespace, bodyBytes, access, precondition }: ChangeContext,
    ): Promise<string> {
      const coming = await configStore.comingPlace(config);
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

    /**
     * Accepts the removal of a configuration, as `requireDeletion` says. Gives the id of the task.
     * @throws 403, 404
     */
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
      const coming = await configStore.comingPlace(config);
      const left = await requireDeletion(access, { _irn: config._irn, ...coming }, namespace);
      const byId = access.principal.id;
      return configStore.acceptChange(config, { kind: 'delete', left, precondition }, coming, { byId, bodyBytes });
    },

    /** Those that the caller may read, in one namespace or in all of its own. */
    list: async (
      namespace: string | undefined,
      paging: Paging,
      access: Access,
    ): Promise<Listing<ListedTelemetryConfig>> =>
      configStore.list(
        await access.scope('READ', CONFIG_TYPE, namespace === undefined ? undefined : [namespace]),
        paging,
      ),

    /** @throws 404 unless the caller may see the task (`requireOwnTask`) */
    getTask: async (id: string, access: Access): Promise<AsyncTask> =>
      links.shorten(await requireOwnTask(await configStore.findTask(id), access)),
  };
}

export type TelemetryConfigs = ReturnType<typeof createTelemetryConfigs>;

/**
 * A configuration writes readings with nobody's rights, so whoever lets it write to a collection needs the right to create
 * all related items there. Ids of collections are generated: one that does not exist cannot become somebody else's.
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

/** The collections of a configuration. */
const boundIn = ({ _configData }: Pick<TelemetryConfig, '_configData'>): string[] => [
  ...new Set(_configData._bindings.map(({ collectionDesc }) => collectionDesc._userItemId)),
];

/** Those that a change adds; all of them when it adds a namespace, where other collections are found. */
function newlyBound(config: TelemetryConfig, change: Partial<TelemetryConfigChange>): string[] {
  const changed = { ...config, ...change };
  if (changed._namespaces.some((namespace) => !config._namespaces.includes(namespace))) return boundIn(changed);
  const before = new Set(boundIn(config));
  return boundIn(changed).filter((id) => !before.has(id));
}

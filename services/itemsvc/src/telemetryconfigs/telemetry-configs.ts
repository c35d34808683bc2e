import type { AsyncTask, Listing, Paging, PermissionEntry, Precondition } from '@dtplatform/contracts';
import { requireDeletion, requireMove, requireOwnTask } from '@dtplatform/permissions';
import type { Access, FoundTask, Placed, Resources, Scope } from '@dtplatform/permissions';
import type { ResponseLinks } from '../asynctasks/async-tasks.js';
import { errors } from '../errors.js';
import { metadataOf } from '../nameduseritems/item-metadata.js';
import type { Item } from '../nameduseritems/item.js';
import { allowedRelated } from '../relateditems/collections.js';
import { checkConfigSize, CONFIG_ACTIONS, CONFIG_TYPE, newTelemetryConfig } from './telemetry-config.js';
import type {
  ListedTelemetryConfig,
  NewTelemetryConfig,
  TelemetryConfig,
  TelemetryConfigChange,
} from './telemetry-config.js';

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

export interface TelemetryConfigStore {
  newId(): string;
  /**
   * Accepts the creation of a configuration: reserves its names and stores its task. Gives the id of the task.
   * @throws 400 when a short name is taken in its namespace
   */
  accept(config: TelemetryConfig, request: AcceptedRequest): Promise<string>;
  /** Where a configuration will be once all changes that were accepted are made. */
  comingPlace(config: TelemetryConfig): Promise<Placed>;
  /**
   * Accepts a change. Changes of one configuration are made in the order in which they are accepted. Gives the id of the task.
   * @param comingPlace what the caller's rights were checked against
   * @throws 400 when a short name is taken, 404 when the configuration is gone, 409 when it will be in another place,
   * 412 when the configuration has another revision, 429 when too many changes wait
   */
  acceptChange(
    config: TelemetryConfig,
    wanted: WantedChange,
    comingPlace: Placed,
    request: AcceptedRequest,
  ): Promise<string>;
  /** @param namespace one of its namespaces; any, by default */
  find(id: string, namespace?: string): Promise<TelemetryConfig | undefined>;
  list(scope: Scope, paging: Paging): Promise<Listing<ListedTelemetryConfig>>;
  findTask(id: string): Promise<FoundTask<AsyncTask> | undefined>;
}

/** Telemetry collections that bindings name. */
export interface BoundCollections {
  /** The one with this id in one of the namespaces. */
  find(userItemId: string, namespaces: readonly string[]): Promise<Item | undefined>;
}

/** A call that changes a configuration. */
interface ChangeContext {
  /** `nsfilter` */
  namespace: string;
  bodyBytes: number;
  access: Access;
  precondition: Precondition;
}

export interface TelemetryConfigs extends Resources<TelemetryConfig> {
  /**
   * Accepts a configuration to be created. Gives the id of the task.
   * @throws namespaceNotIncluded, payloadTooLarge, 403 when it names a collection where the caller may not create all related
   * items
   */
  create(
    wanted: NewTelemetryConfig,
    request: { namespace: string; bodyBytes: number },
    access: Access,
  ): Promise<string>;
  /**
   * Accepts a change of a configuration. Gives the id of the task.
   * @throws 403 as `requireMove` when it would enter or leave a namespace, or when it adds a collection where the caller may not
   * create all related items
   */
  update(config: TelemetryConfig, change: TelemetryConfigChange, context: ChangeContext): Promise<string>;
  /**
   * Accepts the removal of a configuration, as `requireDeletion` says. Gives the id of the task.
   * @throws 403, 404
   */
  remove(id: string, context: Omit<ChangeContext, 'namespace'> & { namespace: string | undefined }): Promise<string>;
  /** Those that the caller may read, in one namespace or in all of its own. */
  list(namespace: string | undefined, paging: Paging, access: Access): Promise<Listing<ListedTelemetryConfig>>;
  /** @throws 404 unless the caller may see the task (`requireOwnTask`) */
  getTask(id: string, access: Access): Promise<AsyncTask>;
}

interface Deps {
  configStore: TelemetryConfigStore;
  boundCollections: BoundCollections;
  links: ResponseLinks;
}

export function createTelemetryConfigs({ configStore, boundCollections, links }: Deps): TelemetryConfigs {
  return {
    find: (id, namespace) => configStore.find(id, namespace),

    async create(wanted, { namespace, bodyBytes }, access) {
      if (!wanted._namespaces.includes(namespace)) throw errors.namespaceNotIncluded();
      const byId = access.principal.id;
      const config = newTelemetryConfig(wanted, namespace, configStore.newId(), metadataOf({ byId, at: Date.now() }));
      checkConfigSize(config);
      await requireBound({ ...config, userItemIds: boundIn(config) }, boundCollections, access);
      await access.own(config);
      return configStore.accept(config, { byId, bodyBytes });
    },

    async update(config, change, { namespace, bodyBytes, access, precondition }) {
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

    async remove(id, { namespace, bodyBytes, access, precondition }) {
      const config = await access.require('DELETE', await configStore.find(id, namespace));
      const coming = await configStore.comingPlace(config);
      const left = await requireDeletion(access, { _irn: config._irn, ...coming }, namespace);
      const byId = access.principal.id;
      return configStore.acceptChange(config, { kind: 'delete', left, precondition }, coming, { byId, bodyBytes });
    },

    list: async (namespace, paging, access) =>
      configStore.list(
        await access.scope('READ', CONFIG_TYPE, namespace === undefined ? undefined : [namespace]),
        paging,
      ),

    getTask: async (id, access) => links.shorten(await requireOwnTask(await configStore.findTask(id), access)),
  };
}

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

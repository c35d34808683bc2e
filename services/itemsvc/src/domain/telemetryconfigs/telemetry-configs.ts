import type { AsyncTask, Listing, Paging, Precondition } from '@dtplatform/contracts';
import { requireDeletion, requireMove, requireOwnTask } from '@dtplatform/permissions';
import type { Access, Resources } from '@dtplatform/permissions';
import { errors } from '../../errors.js';
import type { ResponseLinks } from '../asynctasks/response-links.js';
import { metadataOf } from '../item-metadata.js';
import { boundIn, newlyBound, requireBound } from './bound-collections.js';
import type { BoundCollections, TelemetryConfigStore } from './ports.js';
import { checkConfigSize, CONFIG_ACTIONS, CONFIG_TYPE, newTelemetryConfig } from './telemetry-config.js';
import type {
  ListedTelemetryConfig,
  NewTelemetryConfig,
  TelemetryConfig,
  TelemetryConfigChange,
} from './telemetry-config.js';

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

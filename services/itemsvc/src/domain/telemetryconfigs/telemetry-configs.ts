import type { AsyncTask } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Principal } from '@dtplatform/jwt';
import type { Access, Resources } from '@dtplatform/permissions';
import type { Listing, Paging } from '@dtplatform/resource';
import { errors } from '../../errors.js';
import { metadataOf } from '../item-metadata.js';
import type { TelemetryConfigStore, TelemetryTask } from './ports.js';
import { CONFIG_TYPE, newTelemetryConfig } from './telemetry-config.js';
import type { ListedTelemetryConfig, NewTelemetryConfig, TelemetryConfig } from './telemetry-config.js';

export interface TelemetryConfigs extends Resources<TelemetryConfig> {
  /** Accepts a configuration to be created. Gives the id of the task. */
  create(
    wanted: NewTelemetryConfig,
    request: { namespace: string; bodyBytes: number },
    access: Access,
  ): Promise<string>;
  /** Those that the caller may read, in one namespace or in all of its own. */
  list(namespace: string | undefined, paging: Paging, access: Access): Promise<Listing<ListedTelemetryConfig>>;
  /** @throws 404 unless the caller started the task or is an administrator */
  getTask(id: string, principal: Principal): Promise<AsyncTask>;
}

export function createTelemetryConfigs({ configStore }: { configStore: TelemetryConfigStore }): TelemetryConfigs {
  return {
    find: (id, namespace) => configStore.find(id, namespace),

    async create(wanted, { namespace, bodyBytes }, access) {
      if (!wanted._namespaces.includes(namespace)) throw errors.namespaceNotIncluded();
      const byId = access.principal.id;
      const config = newTelemetryConfig(wanted, configStore.newId(), metadataOf({ byId, at: Date.now() }));
      await access.own(config);
      return configStore.accept(config, { byId, bodyBytes });
    },

    list: async (namespace, paging, access) =>
      configStore.list(
        await access.scope('READ', CONFIG_TYPE, namespace === undefined ? undefined : [namespace]),
        paging,
      ),

    async getTask(id, principal) {
      const found = await configStore.findTask(id);
      if (!found || !maySee(found, principal)) throw commonErrors.notFound();
      return found.task;
    },
  };
}

const maySee = ({ createdById }: TelemetryTask, { kind, id }: Principal) =>
  createdById === id || kind === 'admin' || kind === 'trusted';

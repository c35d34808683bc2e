import { commonErrors } from '@dtplatform/errors';
import type { Principal } from '@dtplatform/jwt';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../../errors.js';
import { metadataOf } from '../items/new-item.js';
import type { TelemetryConfigStore, TelemetryTask } from './ports.js';
import { newTelemetryConfig } from './telemetry-config.js';
import type { TelemetryConfigDraft } from './telemetry-config.js';

export interface TelemetryConfigs {
  /** Accepts a configuration to be created. Gives the id of the task. */
  create(
    draft: TelemetryConfigDraft,
    request: { namespace: string; bodyBytes: number },
    access: Access,
  ): Promise<string>;
  /** @throws 404 unless the caller started the task or is an administrator */
  findTask(id: string, principal: Principal): Promise<TelemetryTask>;
}

export function createTelemetryConfigs({ store }: { store: TelemetryConfigStore }): TelemetryConfigs {
  return {
    async create(draft, { namespace, bodyBytes }, access) {
      if (!draft._namespaces.includes(namespace)) throw errors.namespaceNotIncluded();
      const byId = access.principal.id;
      const config = newTelemetryConfig(draft, store.newId(), metadataOf({ byId, at: Date.now() }));
      await access.own(config);
      return store.accept(config, { byId, bodyBytes });
    },

    async findTask(id, principal) {
      const task = await store.findTask(id);
      if (!task || !maySee(task, principal)) throw commonErrors.notFound();
      return task;
    },
  };
}

const maySee = (task: TelemetryTask, { kind, id }: Principal) =>
  task.createdById === id || kind === 'admin' || kind === 'trusted';

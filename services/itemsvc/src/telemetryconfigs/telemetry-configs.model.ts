import type { PermissionEntry } from '@dtplatform/contracts';
import { defineModel, id, json, modelOf, number, optionalArray, part, text } from '@dtplatform/mongo';
import { TelemetryConfig } from './telemetry-config.js';

export const telemetryConfigModel = modelOf('telemetry_configs', TelemetryConfig, {
  // Up to a thousand bindings with arbitrary fields.
  json: ['_configData'],
  indexes: [
    { key: { _namespaces: 1, _id: 1 }, name: 'namespace' },
    { key: { '_configData._sources._connector': 1 }, name: 'connector', sparse: true },
  ],
});

/** Reserves a short name in a namespace, as soon as a configuration is accepted. */
export interface TakenName {
  /** `<namespace>/<short name>` */
  _id: string;
  configId: string;
  taskId: string;
}

export const takenNameModel = defineModel<TakenName>(
  'telemetry_config_names',
  {
    _id: id,
    configId: text,
    taskId: text,
  },
  { indexes: [{ key: { configId: 1 }, name: 'config' }] },
);

export interface WaitingChange {
  taskId: string;
  kind: 'update' | 'delete';
  /** Changed fields as JSON. */
  change?: string;
  /** Acceptable revisions; any if absent. */
  precondition?: number[];
  /** The namespaces and home that the caller's rights were checked against. */
  namespaces: string[];
  home: string;
  /** Granted to the caller with the change. */
  grants?: PermissionEntry[];
  /** Ids of the names that the change needs (`TakenName`). */
  names: string[];
  byId: string;
  at: number;
}

/** Accepted but not yet applied changes of one configuration, in order. */
export interface WaitingChanges {
  /** The id of the configuration. */
  _id: string;
  changes: WaitingChange[];
}

export const waitingChangesModel = defineModel<WaitingChanges>('telemetry_config_changes', {
  _id: id,
  changes: [
    part<WaitingChange>({
      taskId: text,
      kind: text,
      change: String,
      precondition: optionalArray(Number),
      namespaces: [String],
      home: text,
      grants: json,
      names: [String],
      byId: text,
      at: number,
    }),
  ],
});

import type { PermissionEntry } from '@dtplatform/contracts';
import { defineModel, id, json, modelOf, number, optionalArray, part, text } from '@dtplatform/mongo';
import { TelemetryConfig } from './telemetry-config.js';

export const telemetryConfigModel = modelOf('telemetry_configs', TelemetryConfig, {
  // Up to a thousand bindings with further fields.
  json: ['_configData'],
  indexes: [
    { key: { _namespaces: 1, _id: 1 }, name: 'namespace' },
    { key: { '_configData._sources._connector': 1 }, name: 'connector', sparse: true },
  ],
});

/** Reserves a short name in a namespace, from the moment in which a configuration is accepted. */
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

/** An accepted change of a configuration. */
export interface WaitingChange {
  taskId: string;
  kind: 'update' | 'delete';
  /** Of an update: the fields that change, as JSON. */
  change?: string;
  /** Revisions on which the change may be made; any, when absent. */
  precondition?: number[];
  /** The namespaces and the home that the caller's rights were checked against. */
  namespaces: string[];
  home: string;
  /** What the caller gets with the change. */
  grants?: PermissionEntry[];
  /** Names that the change needs (`TakenName._id`). */
  names: string[];
  byId: string;
  at: number;
}

/** The changes of one configuration that are accepted and not made yet, in their order. */
export interface WaitingChanges {
  /** Of the configuration. */
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

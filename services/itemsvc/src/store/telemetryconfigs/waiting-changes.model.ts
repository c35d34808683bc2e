import type { PermissionEntry } from '@dtplatform/contracts';
import { defineModel, id, json, number, optionalArray, part, text } from '@dtplatform/mongo';

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

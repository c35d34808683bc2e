import type { ItemMetadata } from '../items/item.js';

/** Which collection receives the readings of which devices, and how (docs/contract.md, "Telemetry config"). */
interface ConfigData {
  _bindings: { collectionDesc: { _userItemId: string }; query: { deviceType: string } }[];
  _normalizationScript: { _userType: string };
  _sources?: Record<string, unknown>[];
}

/** What a caller says of a configuration to be created. */
export interface TelemetryConfigDraft {
  _name: string;
  _shortName: string;
  _userType: string;
  _description: string;
  _namespaces: string[];
  _configData: ConfigData;
}

/** A telemetry configuration as it is stored and shown. */
export interface TelemetryConfig extends TelemetryConfigDraft {
  _id: string;
  _uri: string;
  _irn: string;
  /** One entry for each update; shown by id only. */
  _updateLogs: { _updatedBy: string; _updatedAt: number }[];
  _metadata: ItemMetadata;
}

export const CONFIG_TYPE = 'itemsvc:telemetryconfig';

/** Makes a configuration as it will be stored once its task is done. */
export const newTelemetryConfig = (
  draft: TelemetryConfigDraft,
  id: string,
  metadata: ItemMetadata,
): TelemetryConfig => ({
  _id: id,
  _uri: `/telemetryconfigs/${id}`,
  _irn: `${CONFIG_TYPE}:${id}`,
  ...draft,
  _updateLogs: [],
  _metadata: metadata,
});

import { defineModel, id, json, metadataWithoutNames, number, part, text } from '@dtplatform/mongo';
import type { TelemetryConfig } from '../../domain/telemetryconfigs/telemetry-config.js';

export const telemetryConfigModel = defineModel<TelemetryConfig>('telemetry_configs', {
  _id: id,
  _uri: text,
  _irn: text,
  _name: text,
  _shortName: text,
  _userType: text,
  _description: String,
  _namespaces: [String],
  _home: text,
  // Bindings, scripts and sources may have further fields.
  _configData: json,
  _updateLogs: [part<TelemetryConfig['_updateLogs'][number]>({ _updatedBy: text, _updatedAt: number })],
  _metadata: metadataWithoutNames,
  _revision: number,
});
telemetryConfigModel.schema
  .index({ _namespaces: 1, _id: 1 }, { name: 'namespace' })
  .index({ '_configData._sources._connector': 1 }, { name: 'connector', sparse: true });

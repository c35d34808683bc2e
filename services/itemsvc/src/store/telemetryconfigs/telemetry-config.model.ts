import { modelOf } from '@dtplatform/mongo';
import { TelemetryConfig } from '../../domain/telemetryconfigs/telemetry-config.js';

export const telemetryConfigModel = modelOf('telemetry_configs', TelemetryConfig, {
  // Up to a thousand bindings with further fields.
  json: ['_configData'],
  indexes: [
    { key: { _namespaces: 1, _id: 1 }, name: 'namespace' },
    { key: { '_configData._sources._connector': 1 }, name: 'connector', sparse: true },
  ],
});

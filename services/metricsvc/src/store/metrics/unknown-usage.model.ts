import { modelOf } from '@dtplatform/mongo';
import { UnknownUsage } from '../../domain/metrics/unknown-usage.js';

export const unknownUsageModel = modelOf('unknown_usage', UnknownUsage, {
  indexes: [
    { key: { metric: 1 }, name: 'metric' },
    { key: { namespace: 1 }, name: 'namespace' },
  ],
});

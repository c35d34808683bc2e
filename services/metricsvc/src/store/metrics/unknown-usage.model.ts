import { defineModel, id, json, number, text } from '@dtplatform/mongo';
import type { UnknownUsage } from '../../domain/metrics/unknown-usage.js';

export const unknownUsageModel = defineModel<UnknownUsage>('unknown_usage', {
  _id: id,
  namespace: text,
  metric: text,
  dimensions: json,
  aliases: json,
  at: number,
  amount: number,
});
unknownUsageModel.schema.index({ metric: 1 }, { name: 'metric' }).index({ namespace: 1 }, { name: 'namespace' });

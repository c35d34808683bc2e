import { defineSchema } from '@dtplatform/mongo';
import { appliedMessageModel } from './metrics/applied-message.model.js';
import { dimensionAliasModel } from './metrics/dimension-alias.model.js';
import { seriesModel, seriesMonthModel } from './metrics/series.model.js';
import { reconciliationModel } from './reconciliations/reconciliation.model.js';
import { closedNamespaceModel } from './namespaces/closed-namespace.model.js';
import { unknownUsageModel } from './metrics/unknown-usage.model.js';

/** The models and migrations of this version. Append migrations, and never change one (docs/adr/0013). */
export const schema = defineSchema({
  models: [
    seriesModel,
    seriesMonthModel,
    dimensionAliasModel,
    appliedMessageModel,
    unknownUsageModel,
    closedNamespaceModel,
    reconciliationModel,
  ],
  migrations: [],
});

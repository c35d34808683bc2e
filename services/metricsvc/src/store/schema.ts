import { defineSchema } from '@dtplatform/mongo';
import type { ModelDefinition } from '@dtplatform/mongo';
import { appliedMessageModel } from './metrics/applied-message.model.js';
import { dimensionAliasModel } from './metrics/dimension-alias.model.js';
import { seriesMonthModel } from './metrics/series-month.model.js';
import { seriesModel } from './metrics/series.model.js';

/** The models and migrations of this version. Append migrations, never change one (docs/adr/0013). */
export const schema = defineSchema({
  models: [seriesModel, seriesMonthModel, dimensionAliasModel, appliedMessageModel] as unknown[] as ModelDefinition[],
  migrations: [],
});

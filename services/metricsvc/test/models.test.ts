import { describe, it } from '@jest/globals';
import { expectSamePaths } from '@dtplatform/testing';
import { AppliedMessage } from '../src/domain/metrics/applied-message.js';
import { DimensionAlias } from '../src/domain/metrics/dimension-alias.js';
import { Series, SeriesMonth } from '../src/domain/metrics/series.js';
import { UnknownUsage } from '../src/domain/metrics/unknown-usage.js';
import { Reconciliation } from '../src/domain/reconciliations/reconciliation.js';
import { appliedMessageModel } from '../src/store/metrics/applied-message.model.js';
import { dimensionAliasModel } from '../src/store/metrics/dimension-alias.model.js';
import { seriesModel, seriesMonthModel } from '../src/store/metrics/series.model.js';
import { unknownUsageModel } from '../src/store/metrics/unknown-usage.model.js';
import { reconciliationModel } from '../src/store/reconciliations/reconciliation.model.js';

describe('the models', () => {
  it.each([
    ['series', seriesModel, Series],
    ['months of series', seriesMonthModel, SeriesMonth],
    ['aliases', dimensionAliasModel, DimensionAlias],
    ['usage of unknown metrics', unknownUsageModel, UnknownUsage],
    ['applied messages', appliedMessageModel, AppliedMessage],
    ['reconciliations', reconciliationModel, Reconciliation],
  ])('of %s have the fields of their entities', (_name, model, entity) => expectSamePaths(model, entity));
});

import { modelOf } from '@dtplatform/mongo';
import { DimensionAlias } from '../../domain/metrics/dimension-alias.js';

export const dimensionAliasModel = modelOf('dimension_aliases', DimensionAlias);

import { defineModel, id, text } from '@dtplatform/mongo';
import type { DimensionAlias } from '../../domain/metrics/dimension-alias.js';

export const dimensionAliasModel = defineModel<DimensionAlias>('dimension_aliases', { _id: id, value: text });

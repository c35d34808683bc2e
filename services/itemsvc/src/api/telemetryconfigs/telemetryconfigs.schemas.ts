import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import { nsfilter, pageOf, pagingParameters } from '@dtplatform/http';
import { ListedTelemetryConfig } from '../../domain/telemetryconfigs/telemetry-config.js';

export const TelemetryConfigParams = z.object({ id: ResourceId.describe('The id of the configuration.') });
export const NamespaceQuery = z.object({ nsfilter });
export const OptionalNamespaceQuery = z.object({
  nsfilter: nsfilter.optional().describe('A namespace of the configuration; any by default.'),
});
export const ListTelemetryConfigsQuery = z.object({
  nsfilter: nsfilter.optional().describe('The namespace whose configurations to list; all of the caller by default.'),
  ...pagingParameters(),
});
export const TelemetryConfigPage = pageOf(ListedTelemetryConfig).meta({
  id: 'TelemetryConfigPage',
  description: 'A page of telemetry configurations.',
});

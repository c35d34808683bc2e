import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import { nsfilter, pageOf, pagingParameters } from '@dtplatform/http';
import { ListedTelemetryConfig } from '../../domain/telemetryconfigs/telemetry-config.js';

export const TelemetryConfigParams = z.object({ id: ResourceId });
export const NamespaceQuery = z.object({ nsfilter });
export const OptionalNamespaceQuery = z.object({ nsfilter: nsfilter.optional() });
export const ListTelemetryConfigsQuery = z.object({ nsfilter: nsfilter.optional(), ...pagingParameters() });
export const TelemetryConfigPage = pageOf(ListedTelemetryConfig);

import { z } from 'zod';
import { Namespace, ResourceId } from '@dtplatform/contracts';
import { nsfilter, pageOf, pagingParameters } from '@dtplatform/http';
import { Metadata } from '../nameduseritems/nameduseritems.schemas.js';

const Binding = z.object({
  collectionDesc: z.looseObject({ _userItemId: z.string().min(1) }),
  query: z.looseObject({ deviceType: z.string().min(1) }),
});

const ConfigData = z.object({
  _bindings: z.array(Binding).max(1000),
  _normalizationScript: z.looseObject({ _userType: z.string().min(1) }),
  _sources: z.array(z.looseObject({})).max(1000).optional(),
});

export const CreateTelemetryConfigBody = z.object({
  _name: z.string().min(1).max(100),
  _shortName: z.string().min(1).max(22),
  _userType: z.string().min(1).max(100),
  _description: z.string().max(10_000),
  _namespaces: z
    .array(Namespace)
    .min(1)
    .max(100)
    .transform((namespaces) => [...new Set(namespaces)]),
  _configData: ConfigData,
});
export type CreateTelemetryConfigBody = z.infer<typeof CreateTelemetryConfigBody>;

const ListedTelemetryConfig = CreateTelemetryConfigBody.extend({
  _id: z.string(),
  _uri: z.string(),
  _irn: z.string(),
  _namespaces: z.array(z.string()),
  _metadata: Metadata,
});
export const TelemetryConfig = ListedTelemetryConfig.extend({
  _updateLogs: z.array(z.object({ _updatedBy: z.string(), _updatedAt: z.number() })),
});
export const TelemetryConfigPage = pageOf(ListedTelemetryConfig);

export const TelemetryConfigParams = z.object({ id: ResourceId });
export type TelemetryConfigParams = z.infer<typeof TelemetryConfigParams>;
export const NamespaceQuery = z.object({ nsfilter });
export type NamespaceQuery = z.infer<typeof NamespaceQuery>;

export const ListTelemetryConfigsQuery = z.object({ nsfilter: nsfilter.optional(), ...pagingParameters() });
export type ListTelemetryConfigsQuery = z.infer<typeof ListTelemetryConfigsQuery>;

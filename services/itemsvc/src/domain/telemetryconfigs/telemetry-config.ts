import { z } from 'zod';
import { MAX_NAMESPACES, Namespace } from '@dtplatform/contracts';
import { ItemMetadata } from '../item-metadata.js';

/** Which collection receives the readings of which devices. */
const Binding = z.object({
  collectionDesc: z.looseObject({ _userItemId: z.string().min(1) }),
  query: z.looseObject({ deviceType: z.string().min(1) }),
});

/** A telemetry configuration (docs/contract.md, "Telemetry config"). */
export const TelemetryConfig = z.object({
  _id: z.string(),
  _uri: z.string(),
  _irn: z.string(),
  _name: z.string().min(1).max(100),
  _shortName: z.string().min(1).max(22),
  _userType: z.string().min(1).max(100),
  _description: z.string().max(10_000),
  _namespaces: z.array(Namespace).min(1).max(MAX_NAMESPACES),
  _configData: z.object({
    _bindings: z.array(Binding).max(1000),
    /** Turns messages into readings. */
    _normalizationScript: z.looseObject({ _userType: z.string().min(1) }),
    _sources: z.array(z.looseObject({})).max(1000).optional(),
  }),
  /** One entry for each update; not part of lists. */
  _updateLogs: z.array(z.object({ _updatedBy: z.string(), _updatedAt: z.number() })),
  _metadata: ItemMetadata,
  _revision: z.number(),
});
export type TelemetryConfig = z.infer<typeof TelemetryConfig>;

export const ShownTelemetryConfig = TelemetryConfig.omit({ _revision: true });
export const ListedTelemetryConfig = ShownTelemetryConfig.omit({ _updateLogs: true });
export type ListedTelemetryConfig = z.infer<typeof ListedTelemetryConfig>;

export const NewTelemetryConfig = TelemetryConfig.pick({
  _name: true,
  _shortName: true,
  _userType: true,
  _description: true,
  _configData: true,
}).extend({ _namespaces: TelemetryConfig.shape._namespaces.transform((namespaces) => [...new Set(namespaces)]) });
export type NewTelemetryConfig = z.infer<typeof NewTelemetryConfig>;

export const CONFIG_TYPE = 'itemsvc:telemetryconfig';

export const showTelemetryConfig = ({ _revision, ...shown }: TelemetryConfig): z.infer<typeof ShownTelemetryConfig> =>
  shown;

/** Makes a configuration as it is stored once its task is complete. */
export const newTelemetryConfig = (
  wanted: NewTelemetryConfig,
  id: string,
  metadata: ItemMetadata,
): TelemetryConfig => ({
  _id: id,
  _uri: `/telemetryconfigs/${id}`,
  _irn: `${CONFIG_TYPE}:${id}`,
  ...wanted,
  _updateLogs: [],
  _metadata: metadata,
  _revision: 0,
});

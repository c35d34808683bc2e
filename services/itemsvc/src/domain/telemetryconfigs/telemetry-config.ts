import { z } from 'zod';
import { MAX_NAMESPACES, Namespace } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { ItemMetadata } from '../item-metadata.js';
import { TopicFilter } from './topic-filter.js';

/** Which collection receives the readings of which devices. */
const Binding = z.object({
  collectionDesc: z.looseObject({ _userItemId: z.string().min(1) }),
  query: z.looseObject({ deviceType: z.string().min(1) }),
});

/** Where readings come from: a topic filter on a broker that the operator configured, below the topics of the namespace. */
const Source = z.looseObject({ _connector: z.string().min(1).max(100), _channel: TopicFilter });

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
    _sources: z.array(Source).max(100).optional(),
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

/** Fields that are not given stay as they are. */
export const TelemetryConfigChange = NewTelemetryConfig.partial().required({ _name: true, _shortName: true });
export type TelemetryConfigChange = z.infer<typeof TelemetryConfigChange>;

/** Update logs keep the latest entries. */
export const MAX_UPDATE_LOGS = 1000;

/** Of the response that a task holds: tasks keep no larger ones (docs/contract.md, "Async task"). */
const MAX_RESPONSE_BYTES = 1_000_000;

/** @throws 413 for a configuration that the response of its task could not hold */
export function checkConfigSize(config: TelemetryConfig): void {
  const { _updateLogs, ...shown } = showTelemetryConfig(config);
  if (Buffer.byteLength(JSON.stringify(shown)) > MAX_RESPONSE_BYTES) throw commonErrors.payloadTooLarge();
}

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

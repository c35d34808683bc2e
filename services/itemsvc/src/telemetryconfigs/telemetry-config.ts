import { z } from 'zod';
import { MAX_NAMESPACES, Namespace } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { ItemMetadata } from '../nameduseritems/item-metadata.js';
import { UpdateLog } from '../updatelogs/update-log.js';

const MAX_LENGTH = 512;

/** An MQTT topic filter (MQTT 3.1.1, section 4.7): `+` matches one level, `#` all remaining ones. */
const TopicFilter = z
  .string()
  .min(1)
  .max(MAX_LENGTH)
  .refine(
    (filter) => !/[\0\ufffd\ud800-\udfff]/.test(filter) && filter.split('/').every(isLevel),
    'is not a topic filter',
  );

const isLevel = (level: string, index: number, levels: string[]) =>
  level === '+' || (level === '#' && index === levels.length - 1) || !/[+#]/.test(level);

export function matchesTopic(filter: string, topic: string): boolean {
  const wanted = filter.split('/');
  const levels = topic.split('/');
  const rest = wanted.indexOf('#');
  if (rest === -1 ? wanted.length !== levels.length : levels.length < rest) return false;
  return (rest === -1 ? wanted : wanted.slice(0, rest)).every(
    (level, index) => level === '+' || level === levels[index],
  );
}

const Binding = z
  .object({
    collectionDesc: z
      .looseObject({ _userItemId: z.string().min(1).describe('The `_userItemId` of the telemetry collection.') })
      .describe('The collection that receives the readings.'),
    query: z
      .looseObject({ deviceType: z.string().min(1).describe('The value of `deviceType` in the messages.') })
      .describe('The fields that a message must have, with equal values; dots in a name refer to nested objects.'),
  })
  .meta({ id: 'TelemetryBinding', description: 'Which collection receives the readings of which messages.' });

const Source = z
  .looseObject({
    _connector: z.string().min(1).max(100).describe('The name of a broker that the operator has configured.'),
    _channel: TopicFilter.describe(
      'A topic filter of MQTT, below the topics of the namespaces: `+` stands for one level, `#` for all that follow.',
    ),
  })
  .meta({ id: 'TelemetrySource', description: 'Where messages of devices come from.' });

const ConfigData = z
  .object({
    _bindings: z
      .array(Binding)
      .max(1000)
      .describe('Which collection receives the readings of which messages; the first match applies.'),
    _normalizationScript: z
      .looseObject({
        _userType: z.string().min(1).describe('The `_userType` of the script; the newest if there are several.'),
      })
      .describe('The script that turns messages into readings: an item of the class `Script`.'),
    _sources: z
      .array(Source)
      .max(100)
      .optional()
      .describe('Other sources of messages, in addition to calls; none by default.'),
  })
  .meta({ id: 'TelemetryConfigData', description: 'How messages of devices become readings.' });

export const TelemetryConfig = z.object({
  _id: z.string().describe('The id of the configuration: 24 hexadecimal digits.'),
  _uri: z.string().describe('The path of the configuration, relative to the service: `/telemetryconfigs/<_id>`.'),
  _irn: z.string().describe('The resource name that permissions use: `itemsvc:telemetryconfig:<_id>`.'),
  _name: z.string().min(1).max(100).describe('The long name.'),
  _shortName: z.string().min(1).max(22).describe('The short name, which is unique in each namespace.'),
  _userType: z.string().min(1).max(100).describe('A type chosen by the caller.'),
  _description: z.string().max(10_000).describe('A description; may be empty.'),
  _namespaces: z
    .array(Namespace)
    .min(1)
    .max(MAX_NAMESPACES)
    .describe(
      'The namespaces that the configuration belongs to, and in which its script and collections are looked up.',
    ),
  /** Hidden from callers (`homeOf` of libs/permissions). */
  _home: Namespace,
  _configData: ConfigData,
  _updateLogs: z.array(UpdateLog).describe('The latest 1000 updates, oldest first.'),
  _metadata: ItemMetadata,
  _revision: z.number(),
});
export type TelemetryConfig = z.infer<typeof TelemetryConfig>;

export const ShownTelemetryConfig = TelemetryConfig.omit({ _home: true, _revision: true }).meta({
  id: 'TelemetryConfig',
  description: 'A telemetry configuration with its update logs.',
});
export const ListedTelemetryConfig = ShownTelemetryConfig.omit({ _updateLogs: true }).meta({
  id: 'ListedTelemetryConfig',
  description: 'A telemetry configuration without its update logs.',
});
export type ListedTelemetryConfig = z.infer<typeof ListedTelemetryConfig>;

export const NewTelemetryConfig = TelemetryConfig.pick({
  _name: true,
  _shortName: true,
  _userType: true,
  _description: true,
  _configData: true,
})
  .extend({
    _namespaces: TelemetryConfig.shape._namespaces
      .transform((namespaces) => [...new Set(namespaces)])
      .describe('The namespaces that the configuration belongs to, including `nsfilter`.'),
  })
  .meta({ id: 'NewTelemetryConfig', description: 'A telemetry configuration to create.' });
export type NewTelemetryConfig = z.infer<typeof NewTelemetryConfig>;

export const TelemetryConfigChange = NewTelemetryConfig.partial().required({ _name: true, _shortName: true }).meta({
  id: 'TelemetryConfigChange',
  description: 'New values of fields. Omitted fields do not change.',
});
export type TelemetryConfigChange = z.infer<typeof TelemetryConfigChange>;

/** Only the latest are kept. */
export const MAX_UPDATE_LOGS = 1000;

/**
 * As JSON. Stored numbers take up to seven times as much, the task holds the configuration twice, and a document is
 * limited to 16 MiB.
 */
const MAX_CONFIG_BYTES = 1_500_000;

/** @throws 413 */
export function checkConfigSize(config: TelemetryConfig): void {
  const { _updateLogs, ...shown } = showTelemetryConfig(config);
  if (Buffer.byteLength(JSON.stringify(shown)) > MAX_CONFIG_BYTES) throw commonErrors.payloadTooLarge();
}

export const CONFIG_TYPE = 'itemsvc:telemetryconfig';
/** Actions that permissions on a configuration can grant, besides SHARE. CREATE is for messages. */
export const CONFIG_ACTIONS = ['READ', 'CREATE', 'EDIT', 'DELETE'] as const;

export const showTelemetryConfig = ({
  _home,
  _revision,
  ...shown
}: TelemetryConfig): z.infer<typeof ShownTelemetryConfig> => shown;

/** The configuration that a task stores. @param home the `nsfilter` of the call */
export const newTelemetryConfig = (
  wanted: NewTelemetryConfig,
  home: string,
  id: string,
  metadata: ItemMetadata,
): TelemetryConfig => ({
  _id: id,
  _uri: `/telemetryconfigs/${id}`,
  _irn: `${CONFIG_TYPE}:${id}`,
  ...wanted,
  _home: home,
  _updateLogs: [],
  _metadata: metadata,
  _revision: 0,
});

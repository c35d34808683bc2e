import { z } from 'zod';
import { httpUrl, mongoSettings, processSettings, redisSettings } from '@dtplatform/config';
import { serviceSettings } from '@dtplatform/runtime';
import { Connectors } from './messages/mqtt-connectors.js';

export const Config = z.object({ ...serviceSettings, FILESVC_URL: httpUrl });
export type Config = z.infer<typeof Config>;

export const WorkerConfig = z.object({
  ...processSettings,
  ...mongoSettings,
  ...redisSettings,
  /** The MQTT brokers that telemetry configurations may name as `_connector`; none by default. */
  MQTT_CONNECTORS: Connectors.prefault('{}'),
});
export type WorkerConfig = z.infer<typeof WorkerConfig>;

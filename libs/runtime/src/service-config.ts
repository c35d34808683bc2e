import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { authSettings, httpSettings, mongoSettings, processSettings, redisSettings } from '@dtplatform/config';
import type { Lifecycle } from '@dtplatform/lifecycle';
import type { Logger } from '@dtplatform/logging';
import type { Schema } from '@dtplatform/mongo';
import type { Backends } from './backends.js';

/** Settings of every service. Each adds its own: `z.object({ ...serviceSettings, MORE: … })`. */
export const serviceSettings = {
  ...processSettings,
  ...httpSettings,
  ...authSettings,
  ...mongoSettings,
  ...redisSettings,
  /** `inline`: the process of the API also processes the queues, for small installations. */
  WORKERS: z.enum(['separate', 'inline']).default('separate'),
};

export type ServiceConfig = z.infer<z.ZodObject<typeof serviceSettings>>;

export const audienceOf = ({ OAUTH_AUDIENCE, BASE_URL }: Pick<ServiceConfig, 'OAUTH_AUDIENCE' | 'BASE_URL'>): string =>
  OAUTH_AUDIENCE ?? BASE_URL;

/** The name of a service and its database schema. */
export interface ServiceDefinition {
  name: string;
  schema: Schema;
}

/** What `runProcess` passes to the start function. */
export interface ProcessContext {
  /** The name of its service, with `-worker` for a worker. */
  processName: string;
  log: Logger;
  lifecycle: Lifecycle;
  /** Connections of this process that an inline worker uses, too. */
  backends?: Backends;
}

/** The version of a service. @param moduleUrl `import.meta.url` of a module directly in `src` or `dist` */
export function packageVersion(moduleUrl: string): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', moduleUrl), 'utf8')) as { version: string };
  return version;
}

import type { Scope } from '@dtplatform/permissions';
import type { AsyncTask } from '@dtplatform/contracts';
import type { Paging } from '@dtplatform/http';
import type { TelemetryConfig } from './telemetry-config.js';

/** Accepted work on a configuration, and who started it. */
export type TelemetryTask = AsyncTask & { createdById: string };

export interface TelemetryConfigStore {
  newId(): string;
  /**
   * Accepts the creation of a configuration: reserves its names and writes its task. Gives the task's id.
   * @throws 400 when a short name is taken in its namespace
   */
  accept(config: TelemetryConfig, request: { byId: string; bodyBytes: number }): Promise<string>;
  find(id: string, namespace: string): Promise<TelemetryConfig | undefined>;
  list(scope: Scope, paging: Paging): Promise<{ list: Omit<TelemetryConfig, '_updateLogs'>[]; total: number }>;
  findTask(id: string): Promise<TelemetryTask | undefined>;
}

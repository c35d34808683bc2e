import type { AsyncTask } from '@dtplatform/contracts';
import type { Scope } from '@dtplatform/permissions';
import type { Listing, Paging } from '@dtplatform/resource';
import type { ListedTelemetryConfig, TelemetryConfig } from './telemetry-config.js';

/** Accepted work on a configuration, and who started it. */
export interface TelemetryTask {
  task: AsyncTask;
  createdById: string;
}

export interface TelemetryConfigStore {
  newId(): string;
  /**
   * Accepts the creation of a configuration: reserves its names and stores its task. Gives the id of the task.
   * @throws 400 when a short name is taken in its namespace
   */
  accept(config: TelemetryConfig, request: { byId: string; bodyBytes: number }): Promise<string>;
  find(id: string, namespace: string): Promise<TelemetryConfig | undefined>;
  list(scope: Scope, paging: Paging): Promise<Listing<ListedTelemetryConfig>>;
  findTask(id: string): Promise<TelemetryTask | undefined>;
}

import type { AsyncTask, Listing, Paging, PermissionEntry, Precondition } from '@dtplatform/contracts';
import type { FoundTask, Placed, Scope } from '@dtplatform/permissions';
import type { Item } from '../nameduseritems/item.js';
import type { ListedTelemetryConfig, TelemetryConfig, TelemetryConfigChange } from './telemetry-config.js';

/** A call that is accepted as a task. */
export interface AcceptedRequest {
  byId: string;
  bodyBytes: number;
}

/** What a call wants to do to a configuration that exists. */
export type WantedChange = { precondition: Precondition } & (
  | {
      kind: 'update';
      change: TelemetryConfigChange & { _home?: string };
      /** What the caller gets once the change is made. */
      grants: PermissionEntry[];
    }
  | {
      kind: 'delete';
      /** Where it stays, if anywhere. */
      left: Placed | undefined;
    }
);

export interface TelemetryConfigStore {
  newId(): string;
  /**
   * Accepts the creation of a configuration: reserves its names and stores its task. Gives the id of the task.
   * @throws 400 when a short name is taken in its namespace
   */
  accept(config: TelemetryConfig, request: AcceptedRequest): Promise<string>;
  /** Where a configuration will be once all changes that were accepted are made. */
  comingPlace(config: TelemetryConfig): Promise<Placed>;
  /**
   * Accepts a change. Changes of one configuration are made in the order in which they are accepted. Gives the id of the task.
   * @param comingPlace what the caller's rights were checked against
   * @throws 400 when a short name is taken, 404 when the configuration is gone, 409 when it will be in another place,
   * 412 when the configuration has another revision, 429 when too many changes wait
   */
  acceptChange(
    config: TelemetryConfig,
    wanted: WantedChange,
    comingPlace: Placed,
    request: AcceptedRequest,
  ): Promise<string>;
  /** @param namespace one of its namespaces; any, by default */
  find(id: string, namespace?: string): Promise<TelemetryConfig | undefined>;
  list(scope: Scope, paging: Paging): Promise<Listing<ListedTelemetryConfig>>;
  findTask(id: string): Promise<FoundTask<AsyncTask> | undefined>;
}

/** Telemetry collections that bindings name. */
export interface BoundCollections {
  /** The one with this id in one of the namespaces. */
  find(userItemId: string, namespaces: readonly string[]): Promise<Item | undefined>;
}

/** Base paths of the services. */
export const PASSPORT = '/passportsvc/api/v1';
export const PERMISSIONS = '/objectmodelsvc/api/v1/permissions';
export const FILES = '/filesvc/api/v1/files';
export const ITEMS = '/itemsvc/api/v1/nameduseritems';
export const TELEMETRY_CONFIGS = '/itemsvc/api/v1/telemetryconfigs';
/** Spelled `vi` (docs/contract.md, "Graphics file store"). */
export const FILESTORE = '/graphicssvc/api/vi/filestore';
export const ORCHESTRATORS = '/datasourcesvc/api/v1/orchestrators';
export const RUNS = '/datasourcesvc/api/v1/orchrun';
export const METRICS = '/metricsvc/api/v1/metrics';

export interface Page<T> {
  _offset: number;
  _pageSize: number;
  _total: number;
  _list: T[];
}

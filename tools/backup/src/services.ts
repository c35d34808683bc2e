/** Every service has a database named after it. Services that are not installed have none. */
export const SERVICES = [
  'passportsvc',
  'objectmodelsvc',
  'filesvc',
  'graphicssvc',
  'itemsvc',
  'datasourcesvc',
  'metricsvc',
] as const;

/** The service whose bucket is backed up. graphicssvc's bucket holds copies that it can load again. */
export const WITH_OBJECTS = 'filesvc';

/** Every service has a database, named after it. One that is not installed has none. */
export const SERVICES = [
  'passportsvc',
  'objectmodelsvc',
  'filesvc',
  'graphicssvc',
  'itemsvc',
  'datasourcesvc',
  'metricsvc',
] as const;

/** The service whose bucket belongs to a backup. The bucket of graphicssvc holds copies, which it loads again. */
export const WITH_OBJECTS = 'filesvc';

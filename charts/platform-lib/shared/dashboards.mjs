/**
 * The Grafana dashboards, from which `write.mjs` generates the umbrella chart's files. A panel is a title, a unit and lines:
 * `{ legend: query }`. `$of` stands for the selected services.
 */
const OF = 'namespace="$namespace",job=~"$job"';
const REQUESTS = 'http_request_duration_seconds';
const query = (expr) => expr.replaceAll('$of', OF);
const share = (part, whole) => `sum by (job) (${part}) / sum by (job) (${whole})`;
const quantile = (q, by, selector = '') =>
  `histogram_quantile(${q}, sum by (le, ${by}) (rate(${REQUESTS}_bucket{$of${selector}}[$__rate_interval])))`;

const overview = [
  ['Requests per second', 'reqps', { '{{job}}': `sum by (job) (rate(${REQUESTS}_count{$of}[$__rate_interval]))` }],
  [
    'Replies with 5xx',
    'percentunit',
    {
      '{{job}}': share(
        `rate(${REQUESTS}_count{$of,status=~"5.."}[$__rate_interval])`,
        `rate(${REQUESTS}_count{$of}[$__rate_interval])`,
      ),
    },
  ],
  ['Duration of requests, 99th percentile', 's', { '{{job}}': quantile(0.99, 'job') }],
  [
    'Requests that were refused',
    'reqps',
    {
      '{{job}} {{status}}': `sum by (job, status) (rate(${REQUESTS}_count{$of,status=~"4..",status!="404"}[$__rate_interval]))`,
    },
  ],
  ['Jobs that wait', 'short', { '{{queue}}': 'max by (queue) (queue_jobs{$of,state="waiting"})' }],
  [
    'Jobs per second, by outcome',
    'ops',
    { '{{job}} {{outcome}}': 'sum by (job, outcome) (rate(job_duration_seconds_count{$of}[$__rate_interval]))' },
  ],
  [
    'Connections to MongoDB in use',
    'short',
    { '{{job}}': 'sum by (job) (mongodb_pool_connections{$of,state="in_use"})' },
  ],
  ['Memory of processes', 'bytes', { '{{pod}}': 'max by (pod) (process_resident_memory_bytes{$of})' }],
  ['CPU of processes', 'short', { '{{pod}}': 'sum by (pod) (rate(process_cpu_seconds_total{$of}[$__rate_interval]))' }],
  ['Event loop lag, 99th percentile', 's', { '{{pod}}': 'max by (pod) (nodejs_eventloop_lag_p99_seconds{$of})' }],
];

const operations = [
  [
    'Requests per second',
    'reqps',
    { '{{operation}}': `sum by (operation) (rate(${REQUESTS}_count{$of}[$__rate_interval]))` },
  ],
  ['Replies by status', 'reqps', { '{{status}}': `sum by (status) (rate(${REQUESTS}_count{$of}[$__rate_interval]))` }],
  ['Duration, median', 's', { '{{operation}}': quantile(0.5, 'operation') }],
  ['Duration, 99th percentile', 's', { '{{operation}}': quantile(0.99, 'operation') }],
  [
    'Replies with 5xx per second',
    'reqps',
    {
      '{{operation}} {{status}}': `sum by (operation, status) (rate(${REQUESTS}_count{$of,status=~"5.."}[$__rate_interval]))`,
    },
  ],
  [
    'Callers that disconnected',
    'reqps',
    { '{{operation}}': `sum by (operation) (rate(${REQUESTS}_count{$of,status="499"}[$__rate_interval]))` },
  ],
];

const jobs = [
  ['Jobs of each queue', 'short', { '{{queue}} {{state}}': 'max by (queue, state) (queue_jobs{$of})' }],
  [
    'Jobs per second',
    'ops',
    {
      '{{message}} {{outcome}}':
        'sum by (message, outcome) (rate(job_duration_seconds_count{$of}[$__rate_interval])) > 0',
    },
  ],
  [
    'Duration of jobs, 95th percentile',
    's',
    {
      '{{message}}':
        'histogram_quantile(0.95, sum by (le, message) (rate(job_duration_seconds_bucket{$of}[$__rate_interval])))',
    },
  ],
  [
    'Jobs that keep failing, per hour',
    'short',
    { '{{message}}': 'sum by (message) (increase(job_duration_seconds_count{$of,outcome="failed"}[1h]))' },
  ],
  ['Messages in the outbox', 'short', { '{{job}}': 'max by (job) (outbox_messages{$of})' }],
  ['Age of the oldest message in the outbox', 's', { '{{job}}': 'max by (job) (outbox_oldest_age_seconds{$of})' }],
  ['Messages that are not processed yet', 'short', { '{{job}}': 'max by (job) (outbox_unprocessed_messages{$of})' }],
  ['Messages that keep failing', 'short', { '{{job}}': 'max by (job) (outbox_failed_messages{$of})' }],
];

const resources = [
  [
    'Connections to MongoDB',
    'short',
    {
      '{{pod}} {{state}}': 'sum by (pod, state) (mongodb_pool_connections{$of})',
      limit: 'max(mongodb_pool_max_connections{$of})',
    },
  ],
  [
    'Operations that wait for a connection, or got none',
    'short',
    {
      '{{pod}} waiting': 'mongodb_pool_waiting{$of}',
      '{{pod}} failed per minute': 'rate(mongodb_pool_failures_total{$of}[$__rate_interval]) * 60',
    },
  ],
  ['Connected to Redis', 'bool', { '{{pod}}': 'redis_connected{$of}', '{{pod}} {{queue}}': 'queue_connected{$of}' }],
  [
    'Lookups that caches answer',
    'percentunit',
    {
      '{{job}} {{cache}}':
        'sum by (job, cache) (rate(cache_lookups_total{$of,outcome="hit"}[$__rate_interval])) / sum by (job, cache) (rate(cache_lookups_total{$of}[$__rate_interval]))',
    },
  ],
  [
    'Memory that requests have reserved',
    'percentunit',
    { '{{pod}} {{budget}}': 'memory_budget_used_bytes{$of} / memory_budget_bytes{$of}' },
  ],
  ['Requests that wait for memory', 'short', { '{{pod}} {{budget}}': 'memory_budget_waiting{$of}' }],
  ['Uploads in flight', 'short', { '{{pod}}': 'uploads_in_flight{$of}' }],
  ['Open websockets', 'short', { '{{pod}}': 'stream_connections{$of}' }],
  ['Heap', 'bytes', { '{{pod}}': 'max by (pod) (nodejs_heap_size_used_bytes{$of})' }],
  [
    'Time of garbage collection',
    'percentunit',
    { '{{pod}}': 'sum by (pod) (rate(nodejs_gc_duration_seconds_sum{$of}[$__rate_interval]))' },
  ],
];

const datasource = { type: 'prometheus', uid: '$datasource' };

function panelOf([title, unit, lines], index) {
  return {
    id: index + 1,
    type: 'timeseries',
    title,
    datasource,
    gridPos: { x: (index % 2) * 12, y: Math.floor(index / 2) * 8, w: 12, h: 8 },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: Object.entries(lines).map(([legendFormat, expr], at) => ({
      refId: String.fromCharCode(65 + at),
      expr: query(expr),
      legendFormat,
    })),
  };
}

const variable = (name, expr, more) => ({ name, type: 'query', datasource, query: expr, refresh: 2, ...more });

const dashboardOf = (uid, title, panels) => ({
  uid,
  title,
  tags: ['dtplatform'],
  timezone: 'browser',
  schemaVersion: 39,
  refresh: '1m',
  time: { from: 'now-6h', to: 'now' },
  templating: {
    list: [
      { name: 'datasource', type: 'datasource', query: 'prometheus' },
      variable('namespace', 'label_values(nodejs_version_info, namespace)'),
      variable('job', 'label_values(nodejs_version_info{namespace="$namespace"}, job)', {
        ...{ multi: true, includeAll: true, allValue: '.+', current: { text: 'All', value: '$__all' } },
      }),
    ],
  },
  panels: panels.map(panelOf),
});

/** Dashboards by file name. */
export const dashboards = {
  overview: dashboardOf('dtplatform-overview', 'Platform: overview', overview),
  operations: dashboardOf('dtplatform-operations', 'Platform: operations', operations),
  jobs: dashboardOf('dtplatform-jobs', 'Platform: queues and jobs', jobs),
  resources: dashboardOf('dtplatform-resources', 'Platform: connections, memory and caches', resources),
};

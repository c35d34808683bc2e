import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from '@jest/globals';
import { silentLogger } from '@dtplatform/logging';
import { connectMongo } from '@dtplatform/mongo';
import { eventually, startCuttableProxy, testEnvironment } from '@dtplatform/testing';
import { exportedMetrics, queriedMetrics } from './queried-metrics.js';

/** The programs of all services as in a cluster: separate processes, started without waiting for one another. */
const MINUTE = 60_000;
const soon = { timeoutMs: 2 * MINUTE, everyMs: 250 };
const servicesDir = fileURLToPath(new URL('../../../services/', import.meta.url));
const hooks = fileURLToPath(new URL('../../lifecycle/test/fixtures/register.mjs', import.meta.url));
const services = readdirSync(servicesDir);
const run = `test_entry_${randomBytes(4).toString('hex')}`;

interface Program {
  name: string;
  service: string;
  source: string;
}
const programsOf = (file: 'main' | 'worker' | 'migrate'): Program[] =>
  services
    .map((service) => ({
      name: file === 'main' ? service : `${service}-${file}`,
      service,
      source: `${servicesDir}${service}/src/${file}.ts`,
    }))
    .filter(({ source }) => existsSync(source));
const servers = [...programsOf('main'), ...programsOf('worker')];

interface Running {
  name: string;
  service: string;
  child: ChildProcess;
  log: () => string;
}
const running: Running[] = [];
type Environment = Record<string, string>;

function start({ name, service, source }: Program, environment: Environment): Running {
  const database = { MONGO_DB: `${run}_${service}`, S3_BUCKET: `${run}-${service}`.replaceAll('_', '-') };
  const production = { NODE_ENV: 'production', LOG_LEVEL: 'info', KEY_ENCRYPTION_KEY: 'k'.repeat(32) };
  const env = { ...testEnvironment(service, { ...production, ...database, ...environment }), PATH: process.env.PATH };
  const args = ['--conditions=source', '--no-warnings', '--import', hooks, source];
  const child = spawn(process.execPath, args, { env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const started = { name, service, child, log: () => output };
  running.push(started);
  return started;
}

afterEach(async () => {
  const ends = running.splice(0).map(async ({ child }) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  await Promise.all(ends);
}, MINUTE);

/** The ports on which a process listens; throws its output if it does not. */
function portsOf({ name, child, log }: Running): { adminPort: number; port?: number } {
  const line = log()
    .split('\n')
    .find((text) => text.includes('"msg":"listening"'));
  if (!line || child.exitCode !== null) throw new Error(`${name} does not run (${child.exitCode}):\n${log()}`);
  return JSON.parse(line) as { adminPort: number; port?: number };
}

const ask = (process: Running, page: string) => fetch(`http://127.0.0.1:${portsOf(process).adminPort}${page}`);

const ofEach = async <T>(processes: Running[], look: (process: Running) => Promise<T>): Promise<Record<string, T>> =>
  Object.fromEntries(await Promise.all(processes.map(async (process) => [process.name, await look(process)] as const)));

/** Status of `/livez` and of `/readyz`. */
const health = (process: Running) =>
  Promise.all(['/livez', '/readyz'].map(async (page) => (await ask(process, page)).status));
const each = (...statuses: number[]) => Object.fromEntries(servers.map(({ name }) => [name, statuses]));
const checks = async (process: Running) =>
  ((await (await ask(process, '/readyz')).json()) as { checks: Record<string, 'ok' | 'failing'> }).checks;

const metricsOf = async (process: Running) => (await ask(process, '/metrics')).text();

const seriesOf = (names: RegExp) => async (process: Running) =>
  (await metricsOf(process))
    .split('\n')
    .filter((line) => names.test(line))
    .map((line) => line.split(' ')[0]!);

/** The names of the metrics of pending work. */
const figures = seriesOf(/^(queue_jobs|outbox_)/);

/** The caches and memory budgets of a process. */
const shares = async (process: Running) => {
  const series = await seriesOf(/^(cache_lookups_total\{.*"hit"|memory_budget_bytes)/)(process);
  return series.map((name) => /"(\w+)"/.exec(name)![1]!);
};

/** Metrics in alerts and dashboards that no process exports; alerts of a service know only its own processes. */
async function missingMetrics(processes: Running[]): Promise<Record<string, string[]>> {
  const exported = await Promise.all(
    processes.map(async (process) => ({ ...process, names: exportedMetrics(await metricsOf(process)) })),
  );
  const missing = Object.entries(queriedMetrics()).map(([chart, names]): [string, string[]] => {
    const own = exported.filter(({ service }) => chart === 'platform' || service === chart);
    return [chart, names.filter((name) => !own.some((process) => process.names.includes(name)))];
  });
  return Object.fromEntries(missing);
}

const passport = (url: string): Environment => ({
  PASSPORTSVC_URL: url,
  OAUTH_ISSUER: 'http://platform.test/passportsvc/api/v1/oauth',
  JWKS_URL: `${url}/passportsvc/api/v1/oauth/jwks`,
  TOKEN_URL: `${url}/passportsvc/api/v2/oauth/token`,
});

it(
  'starts all services and workers alive without their backends, and ready once these are available and migrated',
  async () => {
    const real = testEnvironment('any');
    const proxyOf = (url: string) => startCuttableProxy(new URL(url));
    const mongo = await proxyOf(real.MONGO_URL!);
    const redis = await proxyOf(real.REDIS_URL!);
    const s3 = await proxyOf(real.S3_ENDPOINT!);
    // The addresses of the services, known before they listen.
    const targets = services.map((service) => ({ service, hostname: '127.0.0.1', port: 0 }));
    const between = await Promise.all(targets.map((target) => startCuttableProxy(target)));
    const urlOf = (service: string) => `http://127.0.0.1:${between[services.indexOf(service)]!.port}`;
    const environment: Environment = {
      ...Object.fromEntries(services.map((service) => [`${service.toUpperCase()}_URL`, urlOf(service)])),
      ...passport(urlOf('passportsvc')),
      MONGO_URL: `mongodb://127.0.0.1:${mongo.port}/?directConnection=true`,
      REDIS_URL: `redis://127.0.0.1:${redis.port}${new URL(real.REDIS_URL!).pathname}`,
      S3_ENDPOINT: `http://127.0.0.1:${s3.port}`,
    };
    const proxies = [mongo, redis, s3, ...between];
    for (const proxy of proxies) proxy.cut();

    const processes = servers.map((program) => start(program, environment));
    await eventually(async () => expect(await ofEach(processes, health)).toEqual(each(200, 503)), soon);
    for (const states of Object.values(await ofEach(processes, checks))) {
      expect(states).toEqual(Object.fromEntries(Object.keys(states).map((name) => [name, 'failing'])));
    }
    const migrations = programsOf('migrate').map((program) => start(program, environment));
    await eventually(() => {
      for (const { log } of migrations) expect(log()).toContain('waiting for the backends');
    }, soon);
    expect(await ofEach(processes, health)).toEqual(each(200, 503));

    for (const target of targets) target.port = portsOf(processes.find(({ name }) => name === target.service)!).port!;
    for (const proxy of proxies) proxy.mend();
    await eventually(() => {
      for (const { child, log } of migrations) expect([child.exitCode, log()]).toEqual([0, expect.anything()]);
    }, soon);
    await eventually(async () => expect(await ofEach(processes, health)).toEqual(each(200, 200)), soon);
    expect(namesIn(await ofEach(processes, checks))).toEqual(CHECKS);
    const workers = processes.filter(({ name }) => name.endsWith('-worker'));
    expect(await ofEach(workers, figures)).toEqual(FIGURES);
    expect(await ofEach(processes, shares)).toEqual(SHARES);
    expect(await missingMetrics(processes)).toEqual(
      Object.fromEntries(['platform', ...services].map((name) => [name, []])),
    );

    await Promise.all(proxies.map((proxy) => proxy.close()));
    await dropDatabases(real.MONGO_URL!);
  },
  10 * MINUTE,
);

it(
  'processes the queues in the services themselves with WORKERS=inline',
  async () => {
    const nowhere = 'http://127.0.0.1:9';
    const urls = Object.fromEntries(services.map((service) => [`${service.toUpperCase()}_URL`, nowhere]));
    const environment = { WORKERS: 'inline', ...urls, ...passport(nowhere) };
    const migrations = programsOf('migrate').map((program) => start(program, environment));
    for (const { child, log } of migrations) {
      if (child.exitCode === null) await once(child, 'exit');
      expect([child.exitCode, log()]).toEqual([0, expect.anything()]);
    }
    const processes = programsOf('main').map((program) => start(program, environment));
    const ofWorker = <T>(all: Record<string, T[]>, { name }: Running) => all[`${name}-worker`] ?? [];
    await eventually(async () => {
      const expected = processes.map((process) => [process.name, ofWorker(FIGURES, process)]);
      expect(await ofEach(processes, figures)).toEqual(Object.fromEntries(expected));
    }, soon);
    const both = processes.map((process) => {
      const all = [...CHECKS[process.name as keyof typeof CHECKS], ...ofWorker(CHECKS, process)];
      return [process.name, [...new Set(all)].sort()];
    });
    expect(namesIn(await ofEach(processes, checks))).toEqual(Object.fromEntries(both));
    for (const { child } of processes) child.kill('SIGTERM');
    await eventually(() => {
      for (const { child, log } of processes) expect([child.exitCode, log()]).toEqual([0, expect.anything()]);
    }, soon);
    await dropDatabases(testEnvironment('any').MONGO_URL!);
  },
  5 * MINUTE,
);

const namesIn = (states: Record<string, object>) =>
  Object.fromEntries(Object.entries(states).map(([name, state]) => [name, Object.keys(state).sort()]));

async function dropDatabases(url: string): Promise<void> {
  for (const service of services) {
    const database = `${run}_${service}`;
    const mongo = await connectMongo({ url, database, appName: 'test', log: silentLogger() });
    await mongo.db.dropDatabase();
    await mongo.close();
  }
}

const BACKENDS = ['migrations', 'mongodb', 'redis'];
const CALLER = ['grants', ...BACKENDS, 'token_keys'];
const CHECKS = {
  passportsvc: [...BACKENDS, 'signing_keys'],
  objectmodelsvc: [...BACKENDS, 'token_keys'],
  filesvc: ['grants', ...BACKENDS, 's3', 'token_keys'],
  graphicssvc: CALLER,
  itemsvc: CALLER,
  datasourcesvc: CALLER,
  metricsvc: CALLER,
  'passportsvc-worker': ['migrations', 'mongodb', 'queues', 'relay'],
  'filesvc-worker': ['migrations', 'mongodb', 'queues', 'relay', 's3'],
  'graphicssvc-worker': ['grants', 'migrations', 'mongodb', 'queues', 'redis', 'relay', 's3', 'token_keys'],
  'itemsvc-worker': ['migrations', 'mongodb', 'queues', 'relay'],
  'datasourcesvc-worker': ['grants', 'migrations', 'mongodb', 'queues', 'redis', 'relay', 'token_keys'],
  'metricsvc-worker': ['migrations', 'mongodb', 'queues'],
};

const queueFigures = (...queues: string[]) =>
  queues.flatMap((queue) =>
    ['waiting', 'active', 'delayed', 'failed'].map((state) => `queue_jobs{queue="${queue}",state="${state}"}`),
  );
const OUTBOX = [
  ...['outbox_messages', 'outbox_oldest_age_seconds'],
  ...['outbox_unprocessed_messages', 'outbox_failed_messages'],
];
const FIGURES = {
  'passportsvc-worker': [...queueFigures('passportsvc.mail'), ...OUTBOX],
  'filesvc-worker': [
    ...queueFigures('filesvc.content', 'filesvc.previews', 'filesvc.removals', 'filesvc.namespaces'),
    ...OUTBOX,
  ],
  'graphicssvc-worker': [...queueFigures('graphicssvc.loads', 'graphicssvc.namespaces'), ...OUTBOX],
  'itemsvc-worker': [
    ...queueFigures('itemsvc.items', 'itemsvc.bulk', 'itemsvc.telemetry', 'itemsvc.ingestion'),
    ...OUTBOX,
  ],
  'datasourcesvc-worker': [...queueFigures('datasourcesvc.runs', 'datasourcesvc.namespaces'), ...OUTBOX],
  'metricsvc-worker': queueFigures('metricsvc.usage', 'metricsvc.namespaces'),
};

const CACHES = ['tokens', 'grants', 'namespaces'];
const BUDGETS = ['received', 'working', 'arriving'];
const SHARES = {
  passportsvc: [...CACHES, 'apps', 'users', ...BUDGETS],
  objectmodelsvc: ['known_users', ...CACHES, ...BUDGETS],
  filesvc: [...CACHES, 'uploads', ...BUDGETS],
  graphicssvc: [...CACHES, 'streams', ...BUDGETS],
  itemsvc: [...CACHES, ...BUDGETS],
  datasourcesvc: [...CACHES, ...BUDGETS],
  metricsvc: [...CACHES, ...BUDGETS],
  'passportsvc-worker': [],
  'filesvc-worker': [],
  'graphicssvc-worker': [...CACHES, 'streams'],
  'itemsvc-worker': [],
  'datasourcesvc-worker': CACHES,
  'metricsvc-worker': [],
};

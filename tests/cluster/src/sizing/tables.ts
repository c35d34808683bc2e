import type { Cost, Idle } from '@dtplatform/bench/counts';
import { SERVICE_NAMES } from '../context.js';
import type { DataSize } from './data-sizes.js';
import { coresOf, peakPerSecond, replicasOf } from './plan.js';

const USERS = [100, 1_000, 10_000];
const BACKENDS = ['mongodb', 'redis', 's3', 'gateway'];

export interface Measured {
  idle: Idle;
  costs: Cost[];
  sizes: DataSize[];
}

/** The raw tables; docs/sizing.md summarizes them. */
export const sizingTables = ({ idle, costs, sizes }: Measured): string =>
  [speedTable(costs), cpuTable(costs), processTable(idle, costs), planTable(costs), sizeTable(sizes)].join('\n\n');

const speedTable = (costs: readonly Cost[]): string =>
  table(
    ['operation', 'per second', 'p50 ms', 'p99 ms', 'MongoDB commands', 'Redis commands'],
    costs.map((cost) => [
      ...[cost.operation, digits(cost.perSecond), digits(cost.p50Ms), digits(cost.p99Ms)],
      ...[digits(cost.counts.mongodb!), digits(cost.counts.redis!)],
    ]),
  );

/** CPU milliseconds per call. Omits less than a twentieth of a millisecond. */
const cpuTable = (costs: readonly Cost[]): string =>
  table(
    ['operation', 'services and workers', ...BACKENDS],
    costs.map(({ operation, cpuMs }) => {
      const used = Object.entries(cpuMs).filter(([name, ms]) => !BACKENDS.includes(name) && ms >= 0.05);
      const services = used.sort(([, a], [, b]) => b - a).map(([name, ms]) => `${name} ${digits(ms)}`);
      return [operation, services.join(', '), ...BACKENDS.map((name) => digits(cpuMs[name] ?? 0))];
    }),
  );

const processTable = (idle: Idle, costs: readonly Cost[]): string =>
  table(
    ['process', 'CPU at rest', 'most memory'],
    Object.entries(idle.cpuMs).map(([name, ms]) => {
      const most = Math.max(...costs.map(({ memoryMiB }) => memoryMiB[name] ?? 0));
      return [name, `${Math.round(ms)}m`, `${Math.round(most)} MiB`];
    }),
  );

/** Cores and replicas in the busiest minute. */
function planTable(costs: readonly Cost[]): string {
  const names = Object.keys(costs[0]?.cpuMs ?? {});
  const cell = (name: string, users: number) => {
    const cores = coresOf(name, costs, users);
    if (BACKENDS.includes(name)) return digits(cores);
    return `${digits(cores)} → ${replicasOf(cores, SERVICE_NAMES.includes(name) ? 2 : 1)}`;
  };
  return table(
    ['cores → replicas', ...USERS.map((users) => `${users} users`)],
    [
      ['requests per second', ...USERS.map((users) => digits(peakPerSecond(users)))],
      ...names.map((name) => [name, ...USERS.map((users) => cell(name, users))]),
    ],
  );
}

const sizeTable = (sizes: readonly DataSize[]): string =>
  table(
    ['collection', 'documents', 'bytes each', 'stored bytes each', 'index bytes each'],
    sizes
      .filter(({ documents }) => documents >= 100)
      .map(({ collection, documents, averageBytes, storedBytes, indexBytes }) => [
        ...[collection, String(documents), String(Math.round(averageBytes))],
        ...[storedBytes, indexBytes].map((bytes) => String(Math.round(bytes / documents))),
      ]),
  );

const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

/** Two significant digits, or the integer. */
const digits = (value: number): string =>
  value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(2)));

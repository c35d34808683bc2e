import type { Speed } from './closed-loop.js';
import type { Usage } from './process-stat.js';

const MIB = 2 ** 20;

/** Resource usage up to now. */
export interface Snapshot {
  /** When the counts were read, in milliseconds. */
  atMs: number;
  /** By component: `filesvc`, `filesvc-worker`, `mongodb`, `redis`, `s3`, `gateway`. */
  usage: Map<string, Usage>;
  /** By kind: commands of `mongodb` and `redis`, requests to `s3` and `peers`. */
  counts: Record<string, number>;
}

/** The cost of one call of an operation. */
export interface Cost extends Speed {
  operation: string;
  /** CPU time of each component per call, in milliseconds. */
  cpuMs: Record<string, number>;
  /** Resident memory of each component afterwards, in MiB. */
  memoryMiB: Record<string, number>;
  counts: Record<string, number>;
}

/** Per second, without any calls. */
export type Idle = Pick<Cost, 'cpuMs' | 'counts'>;

export function idleBetween(before: Snapshot, after: Snapshot): Idle {
  const seconds = secondsBetween(before, after);
  return {
    cpuMs: mapValues(cpuMsBetween(before, after), (used) => used / seconds),
    counts: mapValues(countsBetween(before, after), (used) => used / seconds),
  };
}

/** Divides the usage between two snapshots among the calls, after subtracting idle usage. */
export function costOf(operation: string, speed: Speed, before: Snapshot, after: Snapshot, idle: Idle): Cost {
  const seconds = secondsBetween(before, after);
  const each = (used: Record<string, number>, idlePerSecond: Record<string, number>) =>
    mapValues(used, (value, name) => Math.max(0, value - (idlePerSecond[name] ?? 0) * seconds) / speed.requests);
  return {
    operation,
    ...speed,
    cpuMs: each(cpuMsBetween(before, after), idle.cpuMs),
    memoryMiB: mapValues(Object.fromEntries(sorted(after)), ({ bytes }) => bytes / MIB),
    counts: each(countsBetween(before, after), idle.counts),
  };
}

const secondsBetween = (before: Snapshot, after: Snapshot): number => (after.atMs - before.atMs) / 1000;

const cpuMsBetween = (before: Snapshot, after: Snapshot): Record<string, number> =>
  Object.fromEntries(
    sorted(after).map(([component, { cpuSeconds }]) => [
      component,
      (cpuSeconds - (before.usage.get(component)?.cpuSeconds ?? 0)) * 1000,
    ]),
  );

const countsBetween = (before: Snapshot, after: Snapshot): Record<string, number> =>
  mapValues(after.counts, (count, name) => count - before.counts[name]!);

const sorted = ({ usage }: Snapshot) => [...usage].sort(([a], [b]) => (a < b ? -1 : 1));

const mapValues = <T>(values: Record<string, T>, change: (value: T, name: string) => number): Record<string, number> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));

/** A line of figures for people. Omits components with negligible usage. */
export function describeCost({ perSecond, p50Ms, p99Ms, cpuMs, counts }: Cost): string {
  const most = Object.entries(cpuMs)
    .filter(([, ms]) => ms >= 0.05)
    .sort(([, a], [, b]) => b - a)
    .map(([component, ms]) => `${component} ${ms.toFixed(2)}`);
  const speed = `${perSecond.toFixed(1)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
  const counted = Object.entries(counts).map(([name, count]) => `${name} ${count.toFixed(1)}`);
  return `${speed}; CPU ms: ${most.join(', ')}; counts: ${counted.join(', ')}`;
}

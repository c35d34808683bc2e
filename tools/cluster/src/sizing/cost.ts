import type { Speed } from './closed-loop.js';
import type { Snapshot } from './snapshot.js';

const MIB = 2 ** 20;

/** What one call of an operation costs. */
export interface Cost extends Speed {
  operation: string;
  /** CPU time of each component for one call, in milliseconds. */
  cpuMs: Record<string, number>;
  /** Resident memory of each component afterwards, in MiB. */
  memoryMiB: Record<string, number>;
  mongodbCommands: number;
  redisCommands: number;
}

/** Per second, without any calls. */
export interface Idle {
  cpuMs: Record<string, number>;
  mongodbCommands: number;
  redisCommands: number;
}

export function idleBetween(before: Snapshot, after: Snapshot, seconds: number): Idle {
  return {
    cpuMs: mapOf(after, (component) => cpuMsBetween(before, after, component) / seconds),
    mongodbCommands: (after.counts.mongodb - before.counts.mongodb) / seconds,
    redisCommands: (after.counts.redis - before.counts.redis) / seconds,
  };
}

/** Shares out what was used during a load, less what is used without it. */
export function costOf(operation: string, speed: Speed, before: Snapshot, after: Snapshot, idle: Idle): Cost {
  const each = (used: number, idlePerSecond: number) =>
    Math.max(0, used - idlePerSecond * speed.seconds) / speed.requests;
  return {
    operation,
    ...speed,
    cpuMs: mapOf(after, (component) => each(cpuMsBetween(before, after, component), idle.cpuMs[component] ?? 0)),
    memoryMiB: mapOf(after, (component) => after.usage.get(component)!.bytes / MIB),
    mongodbCommands: each(after.counts.mongodb - before.counts.mongodb, idle.mongodbCommands),
    redisCommands: each(after.counts.redis - before.counts.redis, idle.redisCommands),
  };
}

const cpuMsBetween = (before: Snapshot, after: Snapshot, component: string): number =>
  (after.usage.get(component)!.cpuSeconds - (before.usage.get(component)?.cpuSeconds ?? 0)) * 1000;

const mapOf = ({ usage }: Snapshot, value: (component: string) => number): Record<string, number> =>
  Object.fromEntries([...usage.keys()].sort().map((component) => [component, value(component)]));

/** A line of figures for people. Components that a call hardly uses are left out. */
export function describeCost({ perSecond, p50Ms, p99Ms, cpuMs, mongodbCommands, redisCommands }: Cost): string {
  const most = Object.entries(cpuMs)
    .filter(([, ms]) => ms >= 0.05)
    .sort(([, a], [, b]) => b - a)
    .map(([component, ms]) => `${component} ${ms.toFixed(2)}`);
  const speed = `${perSecond.toFixed(1)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
  const commands = `mongodb ${mongodbCommands.toFixed(1)}, redis ${redisCommands.toFixed(1)}`;
  return `${speed}; CPU ms: ${most.join(', ')}; commands: ${commands}`;
}

import type { Cost } from '@dtplatform/bench/counts';

/** Average calls per minute of one active user; a sensor's readings count as those of a user. */
const CALLS_PER_MINUTE: Record<string, number> = {
  getItem: 2,
  listItems: 1.5,
  listRelatedItems: 1.5,
  getReadings: 1,
  put100Readings: 1,
  putItem: 0.2,
  getFile: 0.8,
  putFile: 0.1,
  readGraphics: 0.8,
  loadGraphicsFile: 0.02,
  listWorkspaces: 0.3,
  listPermissions: 0.1,
  checkTenPermissions: 0.2,
  readMetric: 0.2,
  runToEnd: 0.05,
  getToken: 0.1,
  signIn: 0.01,
};

/** The busiest minute relative to the average one. */
const PEAK_FACTOR = 3;
/** Target utilization of a core at the peak; the rest is for a lost replica and uneven load. */
const USED_SHARE = 0.6;

/** Requests per second of these users in the busiest minute. */
export const peakPerSecond = (users: number): number =>
  (users * Object.values(CALLS_PER_MINUTE).reduce((sum, calls) => sum + calls, 0) * PEAK_FACTOR) / 60;

/** The cores that a component uses in the busiest minute. */
export function coresOf(component: string, costs: readonly Cost[], users: number): number {
  const msPerUserMinute = costs.reduce(
    (sum, { operation, cpuMs }) => sum + (CALLS_PER_MINUTE[operation] ?? 0) * (cpuMs[component] ?? 0),
    0,
  );
  return (users * msPerUserMinute * PEAK_FACTOR) / 60_000;
}

/** The number of processes for these cores, each using one. */
export const replicasOf = (cores: number, least: number): number => Math.max(least, Math.ceil(cores / USED_SHARE));

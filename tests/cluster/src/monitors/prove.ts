import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { serviceOfGroup, type ServiceAlert } from './fast-rules.js';
import type { Fault, Lab, Undo } from './fault.js';
import type { Prometheus } from './prometheus.js';

const QUIET_TIMEOUT_MS = 120_000;
const FIRE_TIMEOUT_MS = 240_000;
const RESOLVE_TIMEOUT_MS = 180_000;
const EVERY_MS = 2_000;

export const idOf = ({ service, alert }: ServiceAlert): string => `${service}/${alert}`;

/** Ids of the alerts that a fault must fire, without unobservable ones. */
export const idsOf = ({ fires }: Pick<Fault, 'fires'>, unseen: ReadonlySet<string> = new Set()): string[] =>
  Object.entries(fires)
    .filter(([alert]) => !unseen.has(alert))
    .flatMap(([alert, services]) => services.map((service) => idOf({ service, alert })));

/** Observed times of an alert: seconds since its fault started, and since it was removed. */
export interface Seen {
  id: string;
  firedAfterSec: number;
  resolvedAfterSec?: number;
}

/** Where alerts of the test are observed. */
export interface Watch {
  prometheus: Prometheus;
  namespace: string;
  /** Names of alerts that need metrics which this Prometheus does not have. */
  unseen: ReadonlySet<string>;
}

/** The alerts of the test that are firing. */
async function firing({ prometheus, namespace }: Watch): Promise<Set<string>> {
  const groups = await prometheus.ruleGroups();
  const ids = groups.flatMap(({ name, rules }) => {
    const service = serviceOfGroup(name, namespace);
    if (service === undefined) return [];
    return rules.filter(({ state }) => state === 'firing').map(({ name: alert }) => idOf({ service, alert }));
  });
  return new Set(ids);
}

/**
 * Waits until all of the alerts fire, or none. @param since of `performance.now()`
 * @returns the seconds of each @throws NotSeen
 */
async function waitUntil(
  watch: Watch,
  ids: readonly string[],
  { fire, since, timeoutMs, signal }: { fire: boolean; since: number; timeoutMs: number; signal: AbortSignal },
): Promise<Map<string, number>> {
  const deadline = performance.now() + timeoutMs;
  const seconds = new Map<string, number>();
  for (;;) {
    const now = await firing(watch);
    const elapsedSec = (performance.now() - since) / 1000;
    for (const id of ids) if (now.has(id) === fire && !seconds.has(id)) seconds.set(id, elapsedSec);
    // An alert that fires again has not resolved.
    if (!fire) for (const id of now) seconds.delete(id);
    if (seconds.size === ids.length) return seconds;
    if (performance.now() > deadline)
      throw new NotSeen(
        ids.filter((id) => !seconds.has(id)),
        seconds,
      );
    await sleep(EVERY_MS, undefined, { signal });
  }
}

class NotSeen extends Error {
  constructor(
    readonly left: string[],
    readonly seconds: Map<string, number>,
  ) {
    super(left.join(', '));
  }
}

export interface Proof {
  seen: Seen[];
  problems: string[];
}

/** Injects the faults of a round, waits for their alerts, removes the faults and waits until the alerts resolve. */
export async function proveRound(lab: Lab, watch: Watch, faults: readonly Fault[]): Promise<Proof> {
  const { signal } = lab;
  const ids = faults.flatMap((fault) => idsOf(fault, watch.unseen));
  const problems: string[] = [];
  let since = performance.now();
  const wait = (fire: boolean, timeoutMs: number, what: string, of = ids) =>
    waitUntil(watch, of, { fire, since, timeoutMs, signal }).catch((error: unknown) => {
      if (!(error instanceof NotSeen)) throw error;
      problems.push(`${what}: ${error.message}`);
      return error.seconds;
    });
  await wait(false, QUIET_TIMEOUT_MS, 'fires before its fault is made');
  since = performance.now();
  const { undos, failures } = await makeAll(lab, faults);
  problems.push(...failures);
  const fired = await wait(true, FIRE_TIMEOUT_MS, 'does not fire').finally(() => undo(undos, problems));
  since = performance.now();
  const resolved = await wait(false, RESOLVE_TIMEOUT_MS, 'does not resolve', [...fired.keys()]);
  const seen = [...fired].map(([id, firedAfterSec]) => ({ id, firedAfterSec, resolvedAfterSec: resolved.get(id) }));
  return { seen, problems };
}

async function makeAll(lab: Lab, faults: readonly Fault[]) {
  const made = await Promise.allSettled(faults.map((fault) => fault.make(lab)));
  const undos = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (lab.signal.aborted) await undo(undos, []);
  lab.signal.throwIfAborted();
  return {
    undos,
    failures: made.flatMap((one, index) =>
      one.status === 'rejected' ? [`${faults[index]!.what}: could not be made: ${messageOf(one.reason)}`] : [],
    ),
  };
}

async function undo(undos: readonly Undo[], problems: string[]): Promise<void> {
  const ended = await Promise.allSettled(undos.map(async (one) => one()));
  for (const one of ended) if (one.status === 'rejected') problems.push(`not undone: ${messageOf(one.reason)}`);
}

const messageOf = (reason: unknown): string => (reason as Error).message;

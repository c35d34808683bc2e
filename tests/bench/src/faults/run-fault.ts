import { setTimeout as sleep } from 'node:timers/promises';
import path from 'node:path';
import { callDuring, createActions, createLoadUser, type LoadUser } from '../callers/index.js';
import type { Report } from '@dtplatform/stack';
import { clientCredentials, createCaller } from '@dtplatform/stack/client';
import { type Acknowledged, createAcknowledged } from './acknowledged.js';
import type { Fault } from './faults.js';
import { createMoreActions } from './more-actions.js';
import { isBroken, isUnavailable, observe, type Observer, violationsIn } from './observer.js';
import type { Platform } from './platform.js';
import { compareCounts, reconcile } from './recount.js';

/** The time within which everything must have recovered from a fault. */
const LIMIT_MS = 30_000;
/** How long to wait for late recovery, to report its duration. */
const PATIENCE_MS = 75_000;
const CALM_MS = 3_000;
/** Recovered after this time without a failure. */
const QUIET_MS = 2_000;

export interface Outcome {
  fault: string;
  requests: number;
  /** Responses with 503 and connections closed early. */
  unavailable: number;
  broken: number;
  /** Seconds from the end of the fault until requests and probes succeeded, and until accepted work was done. */
  backSeconds: number;
  workSeconds: number;
  acknowledged: number;
  violations: string[];
  /** Checks again that acknowledged writes exist and are counted once. */
  checkAgain: () => Promise<string[]>;
}

interface Around {
  platform: Platform;
  stateDir: string;
  report: Report;
  signal: AbortSignal;
}

/** Injects one fault under load, then checks the guarantees. */
export async function runFault(fault: Fault, around: Around): Promise<Outcome> {
  const { platform, report, signal } = around;
  const { dev } = platform.stack;
  const user = await createLoadUser(dev, signal);
  const acknowledged = createAcknowledged(user, signal);
  const more = { dev, user, acknowledged, mailDirectory: path.join(around.stateDir, 'mail'), signal };
  const actions = [...createActions(dev, user, acknowledged.ledger), ...(await createMoreActions(more))];
  for (const [, use] of actions) await use(); // fails early if an action does not work at all
  const observer = observe(actions);
  const violations: string[] = [];
  const seen = { beganAtMs: 0, endedAtMs: 0, backSeconds: 0, workSeconds: 0 };

  await callDuring(observer.actions, signal, async () => {
    await sleep(CALM_MS, undefined, { signal });
    seen.beganAtMs = Date.now();
    const end = await fault.inject(platform);
    report.progress(fault.name, 'has begun');
    await sleep(fault.lastsMs, undefined, { signal }).finally(end);
    seen.endedAtMs = Date.now();
    report.progress(fault.name, 'has ended');
    const limits = { endedAtMs: seen.endedAtMs, limitMs: LIMIT_MS, patienceMs: PATIENCE_MS };
    const [late, back] = await Promise.all([
      acknowledged.untilDone(limits).finally(() => (seen.workSeconds = secondsSince(seen.endedAtMs))),
      untilBack(around, observer, seen.endedAtMs),
    ]);
    violations.push(...late, ...back.missing.map((action) => `${action} did not succeed again`));
    seen.backSeconds = back.seconds;
  });
  signal.throwIfAborted();
  if (seen.backSeconds > LIMIT_MS / 1000) violations.push(`it was back only after ${seen.backSeconds.toFixed(1)} s`);
  const failures = observer.failures();
  violations.push(...violationsIn(failures, { beganAtMs: seen.beganAtMs, overAtMs: seen.endedAtMs + LIMIT_MS }));
  violations.push(...(await checkAfterwards(around, { user, acknowledged })));
  return {
    fault: fault.name,
    requests: observer.requests(),
    unavailable: failures.filter(isUnavailable).length,
    broken: failures.filter(isBroken).length,
    ...seen,
    acknowledged: acknowledged.count(),
    violations,
    checkAgain: async () => [...(await acknowledged.verify()), ...(await reconcileAsOperator(around, user.namespace))],
  };
}

interface Recovery {
  /** Seconds until the last failure, or until the last process became ready. */
  seconds: number;
  /** The actions that have not succeeded again. */
  missing: string[];
}

/** Waits for a limited time until all processes are ready and every action has succeeded again. */
async function untilBack({ platform, signal }: Around, observer: Observer, endedAtMs: number): Promise<Recovery> {
  let lastWrongMs = endedAtMs;
  for (;;) {
    await sleep(250, undefined, { signal });
    const latest = observer.failures().at(-1)?.endedAtMs ?? 0;
    const isReady = (await platform.notReady()).length === 0;
    lastWrongMs = Math.max(lastWrongMs, latest, isReady ? 0 : Date.now());
    const missing = observer.missingSince(endedAtMs);
    const isBack = missing.length === 0 && Date.now() > lastWrongMs + QUIET_MS;
    if (isBack || Date.now() > endedAtMs + PATIENCE_MS) return { seconds: (lastWrongMs - endedAtMs) / 1000, missing };
  }
}

/** After the load has ended. */
async function checkAfterwards(
  around: Around,
  { user, acknowledged }: { user: LoadUser; acknowledged: Acknowledged },
): Promise<string[]> {
  const overMs = Date.now();
  const limits = { endedAtMs: overMs, limitMs: LIMIT_MS, patienceMs: PATIENCE_MS };
  const late = await acknowledged.untilDone(limits);
  const lost = await acknowledged.verify();
  const counts = await compareCounts(user, overMs + LIMIT_MS);
  return [...late, ...lost, ...counts, ...(await reconcileAsOperator(around, user.namespace))];
}

async function reconcileAsOperator({ platform: { stack }, signal }: Around, namespace: string): Promise<string[]> {
  const { access_token: token } = await clientCredentials(stack.dev);
  return reconcile(createCaller({ baseUrl: stack.baseUrl, token, signal }), namespace, signal);
}

const secondsSince = (ms: number): number => (Date.now() - ms) / 1000;

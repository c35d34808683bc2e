import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@dtplatform/stack';
import { PERMISSIONS, type Caller } from '@dtplatform/stack/client';
import type { LoadUser } from '@dtplatform/bench/callers';
import { SERVICE_NAMES } from '../context.js';
import type { TestRun } from '../test-run.js';

/** Removes a fault. */
export type Undo = () => Promise<unknown> | void;

/** A real fault in the cluster, with the alerts that it must fire. */
export interface Fault {
  what: string;
  /** Alert names, each with the services whose alert fires. */
  fires: Readonly<Record<string, readonly string[]>>;
  make: (lab: Lab) => Promise<Undo>;
}

/** The tools for faults. */
export interface Lab extends TestRun {
  /** Calls as a trusted application. */
  admin: Caller;
  /** Has called every service, so that its grants are cached. */
  user: LoadUser;
  /** Has called no service but passportsvc. */
  stranger: LoadUser;
}

export const ALL = SERVICE_NAMES;
/** Services that send messages to others and record whether they were processed. */
export const SENDERS = ['filesvc', 'itemsvc', 'passportsvc'];
export const WITH_OUTBOX = [...SENDERS, 'datasourcesvc', 'graphicssvc'];

export const allBut = (...names: string[]): string[] => ALL.filter((name) => !names.includes(name));

/** Repeats calls, whatever the response. @returns a function that stops them */
export function keepCalling(
  { signal }: Pick<Lab, 'signal'>,
  calls: readonly (() => Promise<unknown>)[],
  everyMs = 200,
): Undo {
  const ended = new AbortController();
  const repeat = async (call: () => Promise<unknown>) => {
    while (!ended.signal.aborted && !signal.aborted) {
      await call().catch(() => undefined);
      await sleep(everyMs, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  };
  const repeated = Promise.all(calls.map(repeat));
  return () => {
    ended.abort();
    return repeated;
  };
}

/** Loads grants as services do. */
export const loadGrants = ({ admin, user }: Lab): Promise<unknown> =>
  admin.call('POST', `${PERMISSIONS}/grants`, {
    json: { _user: { _type: 'user', _id: user.id }, _namespace: user.namespace },
  });

interface Workload {
  spec: { replicas: number; selector: { matchLabels: Record<string, string> } };
}

/**
 * Scales a workload to 0 and waits until its pods have ended. @returns scales it up again and waits until it is ready
 */
export async function stop({ kubectl, signal }: Pick<Lab, 'kubectl' | 'signal'>, workload: string): Promise<Undo> {
  const { spec } = JSON.parse(await kubectl.run('get', workload, '--output=json')) as Workload;
  const { replicas, selector } = spec;
  await kubectl.run('scale', workload, '--replicas=0');
  const labels = Object.entries(selector.matchLabels).map((label) => label.join('='));
  const haveEnded = async () => (await kubectl.pods(labels.join(','))).length === 0;
  await until(`the pods of ${workload} have ended`, haveEnded, { timeoutMs: 120_000, everyMs: 1000, signal });
  return async () => {
    await kubectl.run('scale', workload, `--replicas=${replicas}`);
    await kubectl.run('rollout', 'status', workload, '--timeout=180s');
  };
}

/** Continues with a fault. If that fails, undoes what was done before. */
export async function orUndo<T>(undo: Undo, goOn: () => Promise<T>): Promise<T> {
  try {
    return await goOn();
  } catch (error) {
    await undo();
    throw error;
  }
}

/** Undoes all of them in reverse order. */
export const undoAll =
  (...undos: Undo[]): Undo =>
  async () => {
    for (const undo of undos.toReversed()) await undo();
  };

import type { Action } from '../callers/index.js';
import { UnexpectedAnswer } from '@dtplatform/stack/client';

interface Failure {
  action: string;
  startedAtMs: number;
  endedAtMs: number;
  error: unknown;
}

/** Records how the requests of a load end. */
export interface Observer {
  /** The observed actions. */
  actions: Action[];
  requests(): number;
  failures(): readonly Failure[];
  /** The actions that have not succeeded since a time. */
  missingSince(ms: number): string[];
}

export function observe(actions: readonly Action[]): Observer {
  const failures: Failure[] = [];
  /** By action: when its last successful call was sent. */
  const succeededAtMs = new Map<string, number>();
  let requests = 0;
  const watched = ([action, use]: Action): Action => [
    action,
    async () => {
      const startedAtMs = Date.now();
      requests += 1;
      try {
        await use();
        succeededAtMs.set(action, startedAtMs);
      } catch (error) {
        failures.push({ action, startedAtMs, endedAtMs: Date.now(), error });
      }
    },
  ];
  return {
    actions: actions.map(watched),
    requests: () => requests,
    failures: () => failures,
    missingSince: (ms) => actions.map(([name]) => name).filter((name) => !((succeededAtMs.get(name) ?? 0) >= ms)),
  };
}

/** 503 with `Retry-After`. */
export const isUnavailable = ({ error }: Failure): boolean =>
  error instanceof UnexpectedAnswer && error.status === 503 && Number(error.headers?.get('retry-after')) > 0;

/** The limit on queued work is not a fault: the queue fills while no worker runs. */
const isLimit = ({ error }: Failure): boolean =>
  error instanceof UnexpectedAnswer && error.status === 429 && Number(error.headers?.get('retry-after')) > 0;

/** A connection closed early, as a download's is when its store fails. */
export const isBroken = ({ error }: Failure): boolean =>
  !(error instanceof UnexpectedAnswer) && /fetch failed|terminated/.test((error as Error).message);

/** Failures that callers do not expect, each as a sentence: of other kinds, or outside the time of a fault. */
export function violationsIn(failures: readonly Failure[], fault: { beganAtMs: number; overAtMs: number }): string[] {
  const isAllowed = (failure: Failure) =>
    isLimit(failure) ||
    ((isUnavailable(failure) || isBroken(failure)) &&
      failure.endedAtMs >= fault.beganAtMs &&
      failure.startedAtMs <= fault.overAtMs);
  return failures.filter((failure) => !isAllowed(failure)).map((failure) => sentence(failure, fault.beganAtMs));
}

function sentence({ action, startedAtMs, endedAtMs, error }: Failure, beganAtMs: number): string {
  const seconds = (ms: number) => ((ms - beganAtMs) / 1000).toFixed(1);
  const id = error instanceof UnexpectedAnswer ? ` (${error.headers?.get('x-request-id')})` : '';
  return `${action}, from ${seconds(startedAtMs)} to ${seconds(endedAtMs)} s: ${(error as Error).message}${id}`;
}

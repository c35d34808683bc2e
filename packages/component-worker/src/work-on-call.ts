import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { ClaimedCall, JsonRejected, MAX_RESULT_CHARS, parseJson, shownText } from '@dtplatform/contracts';
import type { CallReport } from '@dtplatform/contracts';
import { AppError, describeIssue, describeIssues } from '@dtplatform/errors';
import type { Logger } from '@dtplatform/logging';
import { ServiceCallError } from '@dtplatform/service-client';
import type { ServiceClient, TokenSource, TokenSubject } from '@dtplatform/service-client';
import type { CallContext, ServedComponent } from './served-component.js';

const HEARTBEAT_MS = 3_000;
const MAX_TEXT = 1000;
const MAX_LINES = 100;
/** How long to retry a report. After that, datasourcesvc has given up on the step. */
const TELL_FOR_MS = 25_000;
const TELL_AGAIN_AFTER_MS = 500;

/** The step no longer belongs to this worker. */
class CallLost extends Error {
  override readonly name = 'CallLost';
}

interface Tools<P> {
  component: ServedComponent<P>;
  datasourcesvc: ServiceClient;
  actAs: (subject: TokenSubject) => TokenSource;
  log: Logger;
}

/** Works on a call, unless another worker holds it or its run has ended. Rejects when datasourcesvc is unavailable. */
export async function workOnCall<P>(callId: string, shutdown: AbortSignal, tools: Tools<P>): Promise<void> {
  const { component, datasourcesvc, actAs, log } = tools;
  const path = `/datasourcesvc/api/v1/componentcalls/${callId}`;
  const call = await claim(datasourcesvc, path);
  if (!call) return;

  const lost = new AbortController();
  const signal = AbortSignal.any([shutdown, lost.signal]);
  const said = createSaid();
  const report = async (outcome?: CallReport['outcome']) => {
    const body: CallReport = { fence: call.fence, ...said.take(), ...(outcome && { outcome }) };
    await datasourcesvc.call({ method: 'PUT', path, body }, z.unknown());
  };
  const heartbeat = setInterval(() => {
    report().catch((error: unknown) => {
      if (isRejected(error)) lost.abort(new CallLost());
    });
  }, HEARTBEAT_MS);
  try {
    const context: CallContext = {
      callId,
      namespace: call.namespace,
      starter: actAs(call.starter),
      signal,
      progress: said.progress,
      log: said.log,
    };
    const outcome = await outcomeOf(component, call.params, context, log);
    if (!lost.signal.aborted) await deliver(() => report(shutdown.aborted ? { status: 'INTERRUPTED' } : outcome));
  } finally {
    clearInterval(heartbeat);
  }
}

/** @returns undefined when there is nothing to do */
async function claim(datasourcesvc: ServiceClient, path: string): Promise<ClaimedCall | undefined> {
  try {
    return await datasourcesvc.call({ method: 'POST', path: `${path}/claim` }, ClaimedCall);
  } catch (error) {
    if (isRejected(error)) return undefined;
    throw error;
  }
}

const isRejected = (error: unknown) =>
  error instanceof ServiceCallError && (error.status === 404 || error.status === 409);

type Outcome = NonNullable<CallReport['outcome']>;
const failed = (message: string): Outcome => ({ status: 'ERROR', message: shownText(message, MAX_TEXT) });

async function outcomeOf<P>(
  { name, params: schema, run }: ServedComponent<P>,
  params: unknown,
  context: CallContext,
  log: Logger,
): Promise<Outcome> {
  const { data, error, success } = schema.safeParse(params, { error: describeIssue });
  if (!success) return failed(`The parameters of the step are not valid. ${describeIssues(error.issues)}`);
  try {
    const result = (await run(data, context)) ?? null;
    const json = JSON.stringify(result, rejectLost);
    if (json.length > MAX_RESULT_CHARS) return failed('The result of the step is too large.');
    return { status: 'COMPLETED', result: parseJson(json) };
  } catch (cause) {
    if (cause instanceof JsonRejected) return failed(`The result of the step ${cause.message}.`);
    if (!context.signal.aborted) log.warn({ err: cause, component: name, callId: context.callId }, 'a step failed');
    return failed(cause instanceof AppError ? cause.message : 'The step failed.');
  }
}

/** For JSON.stringify, which writes these values as null or {}. @throws JsonRejected */
function rejectLost(key: string, value: unknown): unknown {
  if (value instanceof Map || value instanceof Set || (typeof value === 'number' && !Number.isFinite(value)))
    throw new JsonRejected(
      'has a number that is not finite, a Map or a Set, which JSON does not support',
      key ? [key] : [],
    );
  return value;
}

/** Reports the outcome and retries while datasourcesvc is unavailable. A rejected outcome fails the step. */
async function deliver(report: () => Promise<void>): Promise<void> {
  const until = Date.now() + TELL_FOR_MS;
  for (;;) {
    try {
      await report();
      return;
    } catch (error) {
      if (isRejected(error)) return;
      if (error instanceof ServiceCallError || Date.now() > until) throw error;
    }
    await delay(TELL_AGAIN_AFTER_MS);
  }
}

/** What a component has reported since the last report. */
function createSaid() {
  let progress: CallReport['progress'];
  let lines: string[] = [];
  return {
    progress: (percent: number, message?: string): void => {
      progress = {
        percent: Math.min(100, Math.max(0, percent)),
        ...(message !== undefined && { message: shownText(message, MAX_TEXT) }),
      };
    },
    log: (line: string): void => {
      if (lines.length < MAX_LINES) lines.push(shownText(line, MAX_TEXT));
    },
    take: (): Pick<CallReport, 'progress' | 'log'> => {
      const said = { ...(progress && { progress }), ...(lines.length > 0 && { log: lines }) };
      progress = undefined;
      lines = [];
      return said;
    },
  };
}

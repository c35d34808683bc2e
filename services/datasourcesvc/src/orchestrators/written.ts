import { errors } from '../errors.js';
import { classOf, namespacesOf, stepsOf } from './orchestrator.js';
import type { ChangeOrchestrator, CreateOrchestrator, Orchestrator, OrchStep, ScheduleState } from './orchestrator.js';
import { completeSchedule, isLongerPause, isSameSchedule, nextDueTime } from './schedule.js';

/** The call that creates or changes an orchestrator. */
export interface Writing {
  by: { id: string; type: ScheduleState['ownerType'] };
  nowMs: number;
  /** `nsfilter` */
  namespace: string;
  newId: () => string;
}

/** The orchestrator that a call changes. */
interface Change {
  before: Orchestrator;
  /** The new namespaces. */
  namespaces: string[];
  /** Whether its runs change, or their permissions. */
  changesRuns: boolean;
}

type Timing = Pick<Orchestrator, '_class' | '_orchschedule' | '_schedule'>;
type Sent = Pick<ChangeOrchestrator, '_class' | 'instant' | '_instant' | '_orchschedule'>;

/**
 * The schedule and class after a call. The caller who sets the schedule or changes what it runs becomes its owner: the
 * runs have the owner's permissions, which nobody else may use for other purposes. A call that only adds or prolongs a
 * pause keeps the owner: the runs of a suspicious schedule must not get the permissions of whoever stops it. A call that
 * removes the namespace of another owner's schedule ends it, because the caller does not intend to run it, unless the
 * call sets a schedule. Removing the namespace of the call ends any schedule.
 * @throws 400 unless exactly the class SCHEDULED has a schedule
 */
function timingOf(request: Sent, writing: Writing, change?: Change): Timing {
  const { _orchschedule: sent } = request;
  const endsSchedule = request._class === undefined && !sent && change !== undefined && isTakenAway(change, writing);
  const _class = classOf(request, endsSchedule ? 'NORMAL' : change?.before._class);
  if (_class !== 'SCHEDULED') {
    if (sent) throw errors.scheduleNotAllowed();
    return { _class };
  }
  const rule = sent === undefined ? change?.before._orchschedule : sent;
  if (!rule) throw errors.scheduleMissing();
  const _orchschedule = completeSchedule(rule);
  return { _class, _orchschedule, _schedule: stateOf(_orchschedule, { isSent: sent !== undefined, writing, change }) };
}

const isTakenAway = ({ before: { _schedule }, namespaces }: Change, { by, namespace }: Writing): boolean =>
  _schedule !== undefined &&
  !namespaces.includes(_schedule.namespace) &&
  (_schedule.ownerId !== by.id || !namespaces.includes(namespace));

function stateOf(
  rule: NonNullable<Orchestrator['_orchschedule']>,
  { isSent, writing, change }: { isSent: boolean; writing: Writing; change: Change | undefined },
): ScheduleState {
  const { by, nowMs } = writing;
  const state = change?.before._schedule;
  const stays = state !== undefined && change!.namespaces.includes(state.namespace);
  if (stays && !isSent && !change!.changesRuns) return state;
  if (stays && !change!.changesRuns && isLongerPause(change!.before._orchschedule, rule)) {
    const next = nextDueTime(rule, nowMs, state.dueAt);
    const dueAt = Date.parse(rule.paused_until!) > state.dueAt ? next : state.dueAt;
    return { ...state, dueAt, tryAt: dueAt };
  }
  // An unchanged schedule keeps its due time.
  const isSame = state && isSameSchedule(change.before._orchschedule, rule);
  const dueAt = isSame ? state.dueAt : nextDueTime(rule, nowMs);
  const namespace = stays && !isSent ? state.namespace : writing.namespace;
  return { dueAt, tryAt: dueAt, namespace, ownerId: by.id, ownerType: by.type };
}

/** @throws 400 unless exactly the class SCHEDULED has a schedule */
export function newOrchestrator(request: CreateOrchestrator, writing: Writing): Orchestrator {
  const { _params, _class, instant, _instant, _orchschedule, ...given } = request;
  const _id = writing.newId();
  return {
    ...given,
    _id,
    _namespaces: namespacesOf(request, writing.namespace),
    _home: writing.namespace,
    ...timingOf(request, writing),
    _createdby: writing.by.id,
    _createdat: String(writing.nowMs),
    ...touched(writing),
    orchsteps: stepsOf(_params.tasks, _id, writing.newId),
    _revision: 0,
  };
}

/**
 * The orchestrator after a change. Missing fields stay unchanged; `null` removes.
 * @throws 400 unless exactly the class SCHEDULED has a schedule
 */
export function changedOrchestrator(before: Orchestrator, request: ChangeOrchestrator, writing: Writing): Orchestrator {
  const { _params, _class, instant, _instant, _orchschedule, _timeout, _permissionprofileid, ...given } = request;
  const { _orchschedule: _rule, _schedule, _timeout: limit, _permissionprofileid: profile, ...kept } = before;
  const after = {
    ...kept,
    ...given,
    _namespaces: [...new Set(given._namespaces ?? kept._namespaces)],
    ...unlessNone('_timeout', _timeout === undefined ? limit : _timeout),
    ...unlessNone('_permissionprofileid', _permissionprofileid === undefined ? profile : _permissionprofileid),
    orchsteps: stepsAfter(before, request, writing.newId),
    ...touched(writing),
    _revision: before._revision + 1,
  };
  const change = { before, namespaces: after._namespaces, changesRuns: changesRuns(before, after) };
  return { ...after, ...timingOf(request, writing, change) };
}

/** Whether a change gives the schedule a new owner. */
export function changesOwner(before: Orchestrator, after: Orchestrator): boolean {
  if (!after._schedule || after._schedule === before._schedule) return false;
  const stays = before._schedule?.namespace === after._schedule.namespace && !changesRuns(before, after);
  return !(stays && isLongerPause(before._orchschedule, after._orchschedule!));
}

/** Whether a change affects what runs do, or their permissions. */
export const changesRuns = (before: Orchestrator, after: Orchestrator): boolean =>
  before.orchsteps !== after.orchsteps || before._permissionprofileid !== after._permissionprofileid;

const touched = ({ by, nowMs }: Writing) => ({ _updatedby: by.id, _updatedat: String(nowMs) });

const unlessNone = <K extends string>(name: K, value: string | null | undefined) =>
  (value === null || value === undefined ? {} : { [name]: value }) as Partial<Record<K, string>>;

/** Unchanged steps keep their ids. */
function stepsAfter({ _id, orchsteps }: Orchestrator, { _params }: ChangeOrchestrator, newId: () => string) {
  if (!_params.tasks) return orchsteps;
  const steps = stepsOf(_params.tasks, _id, newId);
  const text = (step: OrchStep) => JSON.stringify({ ...step, id: '' });
  const isSame = steps.length === orchsteps.length && steps.every((step, n) => text(step) === text(orchsteps[n]!));
  return isSame ? orchsteps : steps;
}

import { errors } from '../../errors.js';
import { classOf } from './orchestrator.js';
import type { ChangeOrchestrator, Orchestrator, ScheduleState } from './orchestrator.js';
import { completeSchedule, isSameSchedule, nextDueTime } from './schedule.js';

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
  /** Those that it gets. */
  namespaces: string[];
  /** Whether its runs do something else, or with other rights. */
  changesRuns: boolean;
}

type Timing = Pick<Orchestrator, '_class' | '_orchschedule' | '_schedule'>;
type Sent = Pick<ChangeOrchestrator, '_class' | 'instant' | '_instant' | '_orchschedule'>;

/**
 * When an orchestrator runs by itself, after a call. Whoever sets the schedule, or changes what it runs, becomes its owner: the
 * runs have the owner's rights, which nobody else may use for other purposes. A schedule of somebody else ends with the namespace
 * that it works in, unless the call says otherwise: who takes that away does not want to run it. So does any when the namespace of
 * the call is taken away.
 * @throws 400 unless it has a schedule exactly if its class is SCHEDULED
 */
export function timingOf(request: Sent, writing: Writing, change?: Change): Timing {
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
  // A schedule that stays the same is not put off.
  const isSame = state && isSameSchedule(change.before._orchschedule, rule);
  const dueAt = isSame ? state.dueAt : nextDueTime(rule, nowMs);
  const namespace = stays && !isSent ? state.namespace : writing.namespace;
  return { dueAt, tryAt: dueAt, namespace, ownerId: by.id, ownerType: by.type };
}

import { namespacesOf, stepsOf } from './orchestrator.js';
import type { ChangeOrchestrator, CreateOrchestrator, Orchestrator, OrchStep } from './orchestrator.js';
import { timingOf } from './timing.js';
import type { Writing } from './timing.js';

/** Makes a new orchestrator. @throws 400 unless it has a schedule exactly if its class is SCHEDULED */
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
 * Makes an orchestrator as it is after a change. What was not sent is as before; `null` removes.
 * @throws 400 unless it has a schedule exactly if its class is SCHEDULED
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

/** Whether runs do something else after a change, or with other rights. */
export const changesRuns = (before: Orchestrator, after: Orchestrator): boolean =>
  before.orchsteps !== after.orchsteps || before._permissionprofileid !== after._permissionprofileid;

const touched = ({ by, nowMs }: Writing) => ({ _updatedby: by.id, _updatedat: String(nowMs) });

const unlessNone = <K extends string>(name: K, value: string | null | undefined) =>
  (value === null || value === undefined ? {} : { [name]: value }) as Partial<Record<K, string>>;

/** Steps that stay the same keep their ids. */
function stepsAfter({ _id, orchsteps }: Orchestrator, { _params }: ChangeOrchestrator, newId: () => string) {
  if (!_params.tasks) return orchsteps;
  const steps = stepsOf(_params.tasks, _id, newId);
  const text = (step: OrchStep) => JSON.stringify({ ...step, id: '' });
  const isSame = steps.length === orchsteps.length && steps.every((step, n) => text(step) === text(orchsteps[n]!));
  return isSame ? orchsteps : steps;
}

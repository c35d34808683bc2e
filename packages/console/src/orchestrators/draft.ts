import type { Schemas } from '@dtplatform/sdk';
import { schemaOf } from './components';
import type { Component } from './components';
import { paramsOf, typedOf } from './parameters';
import type { Params, Parse, Typed } from './parameters';
import type { Orchestrator, Schedule } from './schedule';
import { draftOfSchedule, scheduleOf } from './schedule-fields';
import type { ScheduleDraft } from './schedule-fields';

/** A step as typed. */
export interface StepDraft {
  key: string;
  component: string;
  name: string;
  /** The number that runs use for their parameters; absent for new steps. */
  number?: number;
  typed: Typed;
}

/** The parameters of a step, which are stored as text. */
const storedParams = (step: { _actualparams: string }) => JSON.parse(step._actualparams || '{}') as Params;

export const draftOfStep = (step: Schemas['OrchestratorStep'], components: Component[]): StepDraft => ({
  ...{ key: step.id, component: step._orchcomp, name: step._name, number: step._sequenceno },
  typed: typedOf(storedParams(step), schemaOf(components, step._orchcomp)),
});

/** The steps to store. Steps keep their numbers, by which callers name them, as long as the order allows it. */
function tasksOf(steps: StepDraft[], components: Component[], parse: Parse): Schemas['OrchestratorTask'][] {
  let last: number | undefined;
  return steps.map(({ component, name, number, typed }) => {
    last = number !== undefined && (last === undefined || number > last) ? number : (last ?? 0) + 1;
    const _actualparams = paramsOf(typed, schemaOf(components, component), parse);
    return { _orchcomp: component, _sequenceno: last, _name: name || component, _actualparams };
  });
}

/** An orchestrator as typed. */
export interface Draft {
  name: string;
  description: string;
  steps: StepDraft[];
  schedule: ScheduleDraft;
}
/** What an editor stores: absent parts have not changed. */
export interface Edited {
  _name: string;
  _description: string;
  tasks?: ReturnType<typeof tasksOf>;
  /** Null for none. */
  schedule?: Schedule | null;
  /** Whether to start a run now. */
  isOnce: boolean;
}

/** What the form shows for an orchestrator. */
export function draftOf(orchestrator: Orchestrator | undefined, components: Component[]): Draft {
  const { _name = '', _description, orchsteps, _orchschedule } = orchestrator ?? {};
  const first = { key: 'first', component: components[0]?.name ?? '', name: '', typed: {} };
  return {
    name: _name,
    description: _description ?? '',
    steps: orchsteps?.map((step) => draftOfStep(step, components)) ?? [first],
    schedule: draftOfSchedule(_orchschedule),
  };
}

export const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** What differs from the stored orchestrator. */
export function editedOf(draft: Draft, base: Orchestrator | undefined, components: Component[], parse: Parse): Edited {
  const before = draftOf(base, components);
  const schedule = scheduleOf(draft.schedule);
  const isRescheduled = !isSame(schedule, scheduleOf(before.schedule));
  return {
    _name: draft.name,
    _description: draft.description,
    ...(!(base && isSame(draft.steps, before.steps)) && { tasks: tasksOf(draft.steps, components, parse) }),
    ...(isRescheduled && { schedule: schedule ?? null }),
    isOnce: draft.schedule.kind === 'once',
  };
}

/** Whether a step lacks a required parameter. */
export const isMissing = (steps: StepDraft[], components: Component[]) =>
  steps.some(({ typed, component }) => schemaOf(components, component).required?.some((name) => !typed[name]));

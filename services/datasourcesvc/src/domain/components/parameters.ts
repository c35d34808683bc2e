import type { ErrorDetail } from '@dtplatform/errors';
import { errors } from '../../errors.js';
import type { Component, Components } from './component.js';

const MAX_DETAILS = 100;

/** A step of an orchestrator as its author sends it. */
interface Task {
  _orchcomp: string;
  _actualparams?: Record<string, unknown>;
}

/**
 * The components of tasks must exist and accept their parameters. Those that are required may be absent: a run may supply
 * them. @throws 400 that names the tasks by their place in the body
 */
export async function assertTasks(tasks: readonly Task[], components: Components): Promise<void> {
  const known = await components.named(tasks.map(({ _orchcomp }) => _orchcomp));
  const at = (index: number) => `body._params.tasks.${index}`;
  const missing = tasks.flatMap(({ _orchcomp }, index) => (known.has(_orchcomp) ? [] : [`${at(index)}._orchcomp`]));
  refuseUnknown(missing);
  refuseInvalid(
    tasks.flatMap(({ _orchcomp, _actualparams = {} }, index) =>
      detailsOf(known.get(_orchcomp)!, _actualparams, { at: at(index), mayBeAbsent: true }),
    ),
  );
}

/** A step of a run, with the parameters of the orchestrator and of the run, as JSON text. */
interface Step {
  _compid: string;
  _sequenceno: number;
  _actualparams: string;
}

/**
 * The components of steps must exist and accept their parameters. @throws 400 that names the steps by their `_sequenceno`
 */
export async function assertSteps(steps: readonly Step[], components: Components): Promise<void> {
  const known = await components.named(steps.map(({ _compid }) => _compid));
  const at = ({ _sequenceno }: Step) => `_sequenceno ${_sequenceno}`;
  refuseUnknown(steps.filter(({ _compid }) => !known.has(_compid)).map((step) => `${at(step)}._compid`));
  refuseInvalid(
    steps.flatMap((step) =>
      detailsOf(known.get(step._compid)!, JSON.parse(step._actualparams) as Record<string, unknown>, { at: at(step) }),
    ),
  );
}

function detailsOf(
  component: Component,
  params: Record<string, unknown>,
  { at, mayBeAbsent = false }: { at: string; mayBeAbsent?: boolean },
): ErrorDetail[] {
  /** Runs replace whole parameters: what is missing within one stays missing. */
  const isAbsent = (path: PropertyKey[]) => path.length === 1 && !Object.hasOwn(params, path[0]!);
  return component
    .check(params)
    .filter(({ path }) => !(mayBeAbsent && isAbsent(path)))
    .map(({ path, message }) => ({ location: [at, '_actualparams', ...path.map(String)].join('.'), message }));
}

function refuseUnknown(locations: string[]): void {
  const message = 'There is no component of this name.';
  const details = locations.slice(0, MAX_DETAILS).map((location) => ({ location, message }));
  if (details.length > 0) throw errors.unknownComponent({ details });
}

function refuseInvalid(details: ErrorDetail[]): void {
  if (details.length > 0) throw errors.badStepParameters({ details: details.slice(0, MAX_DETAILS) });
}

import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import type { ErrorDetail } from '@dtplatform/errors';
import { errors } from '../errors.js';
import type { Component, ParameterIssue } from './component.js';
import type { Components } from './components.js';

type Check = (params: unknown) => ParameterIssue[];

/** A linear-time engine: patterns come from other teams, and texts from tenants. */
const regExp = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    // ajv treats two expressions with the same text as one.
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern };
  },
  { code: 'RE2JS' },
);

/**
 * Checks parameters with a JSON Schema (draft 2020-12). Reports all missing parameters, but only the first of the other
 * problems. @throws when the schema is invalid or references another one
 */
export function checkBySchema(schema: Record<string, unknown>): Check {
  const { required: requiredNames = [], ...rest } = schema;
  const required = requiredNames as string[];
  const ajv = new Ajv2020({ strictTypes: false, strictRequired: false, validateFormats: false, code: { regExp } });
  if (!ajv.validateSchema(schema)) throw new Error(ajv.errorsText());
  const validate = ajv.compile({ ...rest, type: 'object' });
  return (params) => {
    if (!validate(params)) return [issueOf(validate.errors![0]!)];
    return required
      .filter((name) => !Object.hasOwn(params as object, name))
      .map((name) => ({ path: [name], message: 'is required' }));
  };
}

function issueOf({ instancePath, keyword, params, message = 'is not valid' }: ErrorObject): ParameterIssue {
  const path = instancePath.split('/').slice(1).map(unescaped);
  const { missingProperty, additionalProperty } = params as Record<string, string>;
  if (keyword === 'required') return { path: [...path, missingProperty!], message: 'is required' };
  if (keyword === 'additionalProperties') return { path: [...path, additionalProperty!], message: 'is not allowed' };
  return { path, message };
}

/** Decodes a segment of a JSON pointer (RFC 6901). */
const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~');

const MAX_DETAILS = 100;

/** A step of an orchestrator, as its author sends it. */
interface Task {
  _orchcomp: string;
  _actualparams?: Record<string, unknown>;
}

/**
 * Requires that the components of tasks exist and accept their parameters. Required ones may be missing, because a run
 * may supply them. @throws 400 that names the tasks by their place in the body
 */
export async function assertTasks(tasks: readonly Task[], components: Pick<Components, 'named'>): Promise<void> {
  const known = await components.named(tasks.map(({ _orchcomp }) => _orchcomp));
  const at = (index: number) => `body._params.tasks.${index}`;
  const missing = tasks.flatMap(({ _orchcomp }, index) => (known.has(_orchcomp) ? [] : [`${at(index)}._orchcomp`]));
  rejectUnknown(missing);
  rejectInvalid(
    tasks.flatMap(({ _orchcomp, _actualparams = {} }, index) =>
      detailsOf(known.get(_orchcomp)!, _actualparams, { at: at(index), mayBeAbsent: true }),
    ),
  );
}

/** A step of a run, with the merged parameters of the orchestrator and the run, as JSON text. */
interface Step {
  _compid: string;
  _sequenceno: number;
  _actualparams: string;
}

/**
 * Requires that the components of steps exist and accept their parameters. @throws 400 that names the steps by their
 * `_sequenceno`
 */
export async function assertSteps(steps: readonly Step[], components: Pick<Components, 'named'>): Promise<void> {
  const known = await components.named(steps.map(({ _compid }) => _compid));
  const at = ({ _sequenceno }: Step) => `_sequenceno ${_sequenceno}`;
  rejectUnknown(steps.filter(({ _compid }) => !known.has(_compid)).map((step) => `${at(step)}._compid`));
  rejectInvalid(
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
  /** Runs replace whole parameters, so a value that is missing inside one stays missing. */
  const isAbsent = (path: PropertyKey[]) => path.length === 1 && !Object.hasOwn(params, path[0]!);
  return component
    .check(params)
    .filter(({ path }) => !(mayBeAbsent && isAbsent(path)))
    .map(({ path, message }) => ({ location: [at, '_actualparams', ...path.map(String)].join('.'), message }));
}

function rejectUnknown(locations: string[]): void {
  const message = 'There is no component with this name.';
  const details = locations.slice(0, MAX_DETAILS).map((location) => ({ location, message }));
  if (details.length > 0) throw errors.unknownComponent({ details });
}

function rejectInvalid(details: ErrorDetail[]): void {
  if (details.length > 0) throw errors.badStepParameters({ details: details.slice(0, MAX_DETAILS) });
}

import { z } from 'zod';
import { SHOW_VALUE } from '@dtplatform/sandbox';
import type { Sandbox, Script } from '@dtplatform/sandbox';
import type { ServiceClient } from '@dtplatform/service-client';
import { errors } from '../errors.js';
import { defineComponent } from './component.js';
import type { StepContext } from './component.js';

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const MAX_LINES = 200;
const MAX_LINE = 500;
const MAX_ERROR = 1000;

/** A step script's result or error, and its console output. */
const StepScriptOutcome = z.object({
  value: z.unknown().optional(),
  error: z.string().max(MAX_ERROR).optional(),
  lines: z.array(z.string().max(MAX_LINE)).max(MAX_LINES),
});

/**
 * Wraps a script with a console. The sandbox has none, so lines are returned with the result; those of a script that
 * reaches a limit are lost. The wrapper stays on the first line, so that line numbers in error messages match the
 * author's.
 * @param functionName an identifier
 */
const stepScript = (text: string, functionName: string): Script => ({
  text: `${CONSOLE} ${text}\n;${callOf(functionName)}`,
  functionName: '__runStep',
});

/** Logging never ends the script, whatever the value. */
const CONSOLE = `var __show = ${SHOW_VALUE}; var __lines = []; globalThis.console = (() => {
  const log = (...parts) => {
    try {
      if (__lines.length >= ${MAX_LINES}) return;
      let text = '';
      for (let n = 0; n < parts.length && text.length < ${2 * MAX_LINE}; n++)
        text += (n > 0 ? ' ' : '') + __show(parts[n], ${MAX_LINE});
      __lines[__lines.length] = __show(text, ${MAX_LINE});
    } catch {}
  };
  const none = () => undefined;
  const assert = (isTrue, ...parts) => {
    try { if (!isTrue) log('Assertion failed', ...parts); } catch {}
  };
  return {
    log, debug: log, info: log, warn: log, error: log, trace: log, dir: log, dirxml: log, table: log, group: log,
    groupCollapsed: log, assert, groupEnd: none, clear: none, count: none, countReset: none, time: none, timeLog: none,
    timeEnd: none,
  };
})();`.replaceAll(/\n\s*/g, ' ');

const callOf = (functionName: string) => `
async function __runStep(input) {
  const call = typeof ${functionName} === 'function' ? ${functionName} : undefined;
  if (!call) return { error: 'The script does not define a function ${functionName}.', lines: __lines };
  try {
    return { value: await call(input), lines: __lines };
  } catch (error) {
    return { error: __show(error, ${MAX_ERROR}), lines: __lines };
  }
}`;

const ITEMS = '/itemsvc/api/v1/nameduseritems';
const MAX_NAME = 1024;
/** The function that is called in a script found by name. */
const ENTRY = 'run';

const ScriptPage = z.object({
  _list: z.array(z.object({ _versions: z.array(z.looseObject({ _userData: z.unknown() })) })),
});

/** The function of a script that a step runs. */
interface Target {
  text: string;
  functionName: string;
}

/**
 * `default_script_target {userType, _scriptName, …input}`: calls a function of a Script item in the sandbox and returns
 * its result. Finds the script by name and calls its `run`; or uses the only script of the user type, and `_scriptName`
 * names its function.
 */
export const scriptTargetComponent = ({ itemsvc, sandbox }: { itemsvc: ServiceClient; sandbox: Sandbox }) =>
  defineComponent({
    name: 'default_script_target',
    description: 'Runs a Script item in a sandbox, passes it all other parameters, and returns its result.',
    mayRunAgain: true,
    params: z.looseObject({
      userType: z.string().min(1).max(MAX_NAME),
      _scriptName: z.string().min(1).max(MAX_NAME),
    }),
    async run({ userType, _scriptName, ...input }, context) {
      const { text, functionName } = await findScript(itemsvc, { userType, _scriptName }, context);
      const [outcome] = await sandbox.run(stepScript(text, functionName), [JSON.stringify(input)], {
        owner: context.namespace,
        signal: context.signal,
      });
      return resultOf(outcome!, context);
    },
  });

async function findScript(
  itemsvc: ServiceClient,
  { userType, _scriptName }: { userType: string; _scriptName: string },
  context: StepContext,
): Promise<Target> {
  const ofType = { _itemClass: 'Script', _userType: userType };
  const named = await only(itemsvc, { ...ofType, _name: _scriptName }, context);
  if (named !== undefined) return { text: named, functionName: ENTRY };
  const single = IDENTIFIER.test(_scriptName) ? await only(itemsvc, ofType, context) : undefined;
  if (single === undefined) throw errors.scriptMissing();
  return { text: single, functionName: _scriptName };
}

/** The text of the only match that the run may read. @throws scriptAmbiguous, scriptIsNoText */
async function only(
  itemsvc: ServiceClient,
  query: object,
  { namespace, starter, signal }: StepContext,
): Promise<string | undefined> {
  const parameters = { nsfilter: namespace, query: JSON.stringify(query), _pageSize: 2 };
  const { _list } = await itemsvc.call({ path: ITEMS, query: parameters, as: starter, signal }, ScriptPage);
  if (_list.length > 1) throw errors.scriptAmbiguous();
  if (_list.length === 0) return undefined;
  const text = _list[0]!._versions[0]?._userData;
  if (typeof text !== 'string') throw errors.scriptIsNoText();
  return text;
}

function resultOf(outcome: { value: unknown } | { error: { code: string; message: string } }, context: StepContext) {
  if ('error' in outcome) throw scriptFailed(`${outcome.error.code}: ${outcome.error.message}`);
  // A script can forge this outcome, but gains nothing over returning a value.
  const { success, data } = StepScriptOutcome.safeParse(outcome.value);
  if (!success) throw scriptFailed('NOT_JSON: The script did not return JSON.');
  for (const line of data.lines) context.log(line);
  if (data.error !== undefined) throw scriptFailed(`THROWN: ${data.error}`);
  return data.value ?? null;
}

const scriptFailed = (reason: string) => errors.scriptFailed({ message: `The script failed. ${reason}` });

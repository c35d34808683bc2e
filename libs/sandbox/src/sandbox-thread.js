import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant, newVariant, Scope } from 'quickjs-emscripten-core';

/**
 * The program of a thread: runs scripts, one message at a time. It is JavaScript, so that it starts without a build.
 * Scripts see the language and their input, and nothing of the thread. Each message gets an instance of QuickJS of its own,
 * each input a runtime of its own.
 */

const wasmUrl = import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
const wasmModule = await WebAssembly.compile(await readFile(fileURLToPath(wasmUrl)));
const newQuickJs = () => newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule }));
const bytesOf = (quickJs) => quickJs.getWasmMemory().buffer.byteLength;
/** Evaluated before the script, which may replace every global. */
const PRELUDE = `((show, parse, stringify, includes, isFinite, Map, Set) => {
  // JSON writes these as null and {}.
  const refuseLost = (key, value) => {
    const lost = value instanceof Map ? 'a Map' : value instanceof Set ? 'a Set' : undefined;
    const what = typeof value === 'number' && !isFinite(value) ? value : lost;
    if (what !== undefined) throw new TypeError((show(key, 64) || 'The result') + ' is ' + what + ', which JSON does not have');
    return value;
  };
  return {
    parse,
    stringify(value) {
      const json = stringify(value);
      if (typeof json === 'string' && (includes(json, 'null') || includes(json, '{}'))) stringify(value, refuseLost);
      return json;
    },
    describe: (error) => show(error, 1000),
  };
})(${workerData.showValue}, JSON.parse, JSON.stringify, Function.prototype.call.bind(String.prototype.includes), Number.isFinite, Map, Set)`;

/** An outcome that ends a run. */
class Failed extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** @returns {{ json: string } | { code: string, message: string }} */
function runOnce(quickJs, { text, functionName, limits }, input) {
  const deadline = performance.now() + limits.timeoutMs;
  let isTimedOut = false;
  // It grows before a script reaches the limit of its memory, and never shrinks.
  const bytesBefore = bytesOf(quickJs);
  try {
    return Scope.withScope((scope) => {
      const runtime = scope.manage(quickJs.newRuntime());
      runtime.setMemoryLimit(limits.memoryBytes);
      runtime.setMaxStackSize(limits.stackBytes);
      runtime.setInterruptHandler(() => (isTimedOut ||= performance.now() > deadline));
      const context = scope.manage(runtime.newContext());
      const isFull = () => bytesOf(quickJs) > bytesBefore;
      return { json: evaluate(scope, runtime, context, { text, functionName, limits, input, isFull }) };
    });
  } catch (error) {
    if (isTimedOut) return { code: 'TIMED_OUT', message: `The script took longer than ${limits.timeoutMs} ms.` };
    if (error instanceof Failed) return { code: error.code, message: error.message };
    return { ...failureOfEngine(error), isBroken: true };
  }
}

/** What ends QuickJS itself: its instance cannot be used again. */
function failureOfEngine(error) {
  const isStack = error instanceof RangeError;
  return isStack
    ? { code: 'STACK_OVERFLOW', message: 'The script is nested too deeply.' }
    : { code: 'OUT_OF_MEMORY', message: 'The script uses too much memory.' };
}

function evaluate(scope, runtime, context, { text, functionName, limits, input, isFull }) {
  const prelude = scope.manage(context.unwrapResult(context.evalCode(PRELUDE)));
  const own = (name) => scope.manage(context.getProp(prelude, name));
  const [parse, stringify, describe] = [own('parse'), own('stringify'), own('describe')];

  const describeError = (error) => {
    const described = context.callFunction(describe, context.undefined, error);
    if (!described.error) return context.getString(scope.manage(described.value));
    scope.manage(described.error);
    return 'The error has no description.';
  };
  /** The value of a result. @throws Failed with this code, or a more precise one */
  const valueOf = (result, code) => {
    if (!result.error) return scope.manage(result.value);
    const message = describeError(scope.manage(result.error));
    throw new Failed(preciseCode(message, isFull) ?? code, message);
  };
  const call = (fn, argument, code) => valueOf(context.callFunction(fn, context.undefined, argument), code);

  const compiled = context.evalCode(text, 'script.js', { compileOnly: true });
  valueOf(compiled, 'SYNTAX');
  valueOf(context.evalCode(text, 'script.js'), 'THROWN');
  const find = `typeof ${functionName} === 'function' ? ${functionName} : undefined`;
  const fn = valueOf(context.evalCode(find), 'NO_FUNCTION');
  if (context.typeof(fn) !== 'function')
    throw new Failed('NO_FUNCTION', `The script does not define a function ${functionName}.`);

  const argument = call(parse, scope.manage(context.newString(input)), 'OUT_OF_MEMORY');
  const returned = settled(call(fn, argument, 'THROWN'));
  const json = call(stringify, returned, 'NOT_JSON');
  if (context.typeof(json) !== 'string') throw new Failed('NOT_JSON', 'The script returned no JSON.');
  const length = context.getNumber(scope.manage(context.getProp(json, 'length')));
  if (length > limits.outputChars) {
    throw new Failed('OUTPUT_TOO_LARGE', `The script returned more than ${limits.outputChars} characters of JSON.`);
  }
  const output = context.getString(json);
  if (hasMoreValues(output, limits.outputValues)) {
    throw new Failed('OUTPUT_TOO_LARGE', `The script returned more than ${limits.outputValues} values.`);
  }
  return output;

  /** The value of a promise, once there is nothing left to run. */
  function settled(value) {
    const jobs = runtime.executePendingJobs();
    if (jobs.error) valueOf({ error: jobs.error }, 'THROWN');
    const state = context.getPromiseState(value);
    if (state.notAPromise) return value;
    if (state.type === 'fulfilled') return scope.manage(state.value);
    if (state.type === 'rejected') valueOf({ error: state.error }, 'THROWN');
    throw new Failed('THROWN', 'The promise of the script stays pending.');
  }
}

/** Whether JSON has more values than this, counted without parsing it. */
function hasMoreValues(json, limit) {
  let values = 1;
  for (const [token] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[,[{]/g)) {
    if (token.length === 1 && (values += 1) > limit) return true;
  }
  return false;
}

function preciseCode(message, isFull) {
  if (/^InternalError: (out of memory|string too long)$/.test(message)) return 'OUT_OF_MEMORY';
  // Where there is no memory for an error, null is thrown.
  if (message === 'null' && isFull()) return 'OUT_OF_MEMORY';
  const isStack = /^(InternalError: stack overflow|RangeError: Maximum call stack size exceeded)/.test(message);
  return isStack ? 'STACK_OVERFLOW' : undefined;
}

/** Decides after each outcome whether the run has reached a limit. */
function runBounds({ runMs, runOutputChars, runTimeouts }) {
  const endsAt = performance.now() + runMs;
  let [chars, timeouts] = [0, 0];
  return ({ json, code }) => {
    chars += json?.length ?? 0;
    if (code === 'TIMED_OUT') timeouts += 1;
    return chars >= runOutputChars || timeouts >= runTimeouts || performance.now() >= endsAt;
  };
}

parentPort.on('message', async ({ inputs, ...script }) => {
  let quickJs = await newQuickJs();
  parentPort.postMessage('started');
  const isOver = runBounds(script.limits);
  for (const [index, input] of inputs.entries()) {
    const { isBroken, ...outcome } = runOnce(quickJs, script, input);
    const isLast = isOver(outcome) || index === inputs.length - 1;
    parentPort.postMessage({ ...outcome, isLast });
    if (isLast) return;
    if (isBroken) quickJs = await newQuickJs();
  }
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSandbox, ScriptError } from '../src/index.js';
import type { Sandbox, SandboxOptions } from '../src/index.js';

const MIB = 1024 ** 2;
const limits = { timeoutMs: 30_000, memoryBytes: 16 * MIB, outputChars: 10_000, outputValues: 1000 };

describe('sandbox', () => {
  const sandboxes: Sandbox[] = [];
  const start = (options: SandboxOptions = {}) => {
    const sandbox = createSandbox({ ...options, limits: { ...limits, ...options.limits } });
    sandboxes.push(sandbox);
    return sandbox;
  };
  let sandbox: Sandbox;
  let impatient: Sandbox;
  const runOn = async (one: Sandbox, text: string, ...inputs: unknown[]) => {
    const outcomes = await one.run(
      { text, functionName: 'run' },
      (inputs.length === 0 ? [null] : inputs).map((input) => JSON.stringify(input)),
    );
    return outcomes.map((outcome) => ('value' in outcome ? outcome.value : outcome.error));
  };
  const run = (text: string, ...inputs: unknown[]) => runOn(sandbox, text, ...inputs);
  const failing = async (text: string, one: Sandbox) => {
    const [error] = await runOn(one, text);
    expect(error).toBeInstanceOf(ScriptError);
    return error as ScriptError;
  };

  beforeAll(() => {
    sandbox = start();
    impatient = start({ limits: { timeoutMs: 300 } });
  });
  afterAll(() => Promise.all(sandboxes.map((one) => one.close())));

  it('calls a function with each input, in order', async () => {
    const text = 'function run({ a, list }) { return { sum: a + 1, last: list.at(-1), text: `ü ${a} \\u{1F600}` }; }';
    expect(await run(text, { a: 1, list: [1, 'x'] }, { a: 2, list: [[null]] })).toEqual([
      { sum: 2, last: 'x', text: 'ü 1 😀' },
      { sum: 3, last: [null], text: 'ü 2 😀' },
    ]);
    expect(await run('const run = (x) => x', 'text', 5, null, [], {})).toEqual(['text', 5, null, [], {}]);
    expect(await run('const run = async (x) => { await null; return x * 2; }', 4)).toEqual([8]);
    expect(await sandbox.run({ text: '', functionName: 'run' }, [])).toEqual([]);
  });

  it.each([
    ['SYNTAX', 'function run( {', /^SyntaxError: /],
    ['SYNTAX', 'import fs from "node:fs"; function run() {}', /^SyntaxError: /],
    ['THROWN', 'throw new SyntaxError("mine")', /^SyntaxError: mine$/],
    ['NO_FUNCTION', 'const other = 1', /does not define a function run/],
    ['NO_FUNCTION', 'const run = {}', /does not define a function run/],
    ['THROWN', 'function run() { throw new TypeError("no device") }', /^TypeError: no device$/],
    ['THROWN', 'function run() { throw "x".repeat(5000) }', /^x{1000}$/],
    ['THROWN', 'function run() { throw { toString() { throw 1 } } }', /^\{"toString":\[function toString\]\}$/],
    ['THROWN', 'function run() { throw "😀".repeat(5000) }', /^(😀){1000}$/u],
    ['THROWN', 'function run() { throw { code: 7, at: [new Error("x")] } }', /^\{"code":7,"at":\[Error: x\]\}$/],
    ['THROWN', 'function run() { throw null }', /^null$/],
    ['THROWN', 'async function run() { throw undefined }', /^undefined$/],
    ['THROWN', 'const run = () => Promise.reject(10n)', /^10n$/],
    ['THROWN', 'function run() { throw Symbol("s") }', /^Symbol\(s\)$/],
    ['THROWN', 'function run() { const a = {}; a.a = a; throw a }', /^\{"a":\[circular\]\}$/],
    ['THROWN', 'function run() { throw new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 } }) }', /^\[object\]$/],
    ['THROWN', 'function run() { throw { get name() { throw new Error("getter") } } }', /^\{"name":Error: getter\}$/],
    ['THROWN', 'function run() { throw Object.assign(new Error(), { get message() { throw 1 } }) }', /./],
    [
      'THROWN',
      'function run() { throw new Map([["a", new Date(0)]]) }',
      /^Map \[\["a","1970-01-01T00:00:00.000Z"\]\]$/,
    ],
    ['THROWN', 'function run() { throw Array(1e6).fill("long") }', /^\["long",.{900}/],
    ['THROWN', 'function run() { let a = 1; for (let n = 0; n < 1e5; n++) a = [a]; throw a }', /^\[+Array\]+$/],
    [
      'THROWN',
      'function run() { JSON.stringify = String = Array.prototype.join = undefined; throw { a: [1] } }',
      /^\{"a":\[1\]\}$/,
    ],
    ['NOT_JSON', 'const run = () => ({ a: [NaN] })', /^TypeError: 0 is NaN, which JSON does not have$/],
    ['NOT_JSON', 'const run = () => Infinity', /^TypeError: The result is Infinity/],
    ['NOT_JSON', 'const run = () => ({ map: new Map([[1, 2]]) })', /^TypeError: map is a Map/],
    ['THROWN', 'const run = () => Promise.reject(new Error("late"))', /^Error: late$/],
    ['THROWN', 'const run = () => new Promise(() => {})', /stays pending/],
    ['THROWN', 'const run = () => import("node:fs")', /./],
    ['NOT_JSON', 'const run = () => undefined', /no JSON/],
    ['NOT_JSON', 'const run = () => run', /no JSON/],
    ['NOT_JSON', 'const run = () => 1n', /BigInt/i],
    ['NOT_JSON', 'const run = () => { const a = {}; a.a = a; return a }', /circular/],
    ['OUTPUT_TOO_LARGE', 'const run = () => "x".repeat(20000)', /more than 10000 characters/],
    ['OUTPUT_TOO_LARGE', 'const run = () => Array(1001).fill(0)', /more than 1000 values/],
    ['OUTPUT_TOO_LARGE', 'const run = () => Array(501).fill({})', /more than 1000 values/],
    ['TIMED_OUT', 'function run() { for (;;); }', /longer than 300 ms/],
    ['TIMED_OUT', 'for (;;); function run() {}', /longer than 300 ms/],
    ['TIMED_OUT', 'const run = () => { for (;;) { try { for (;;); } catch {} finally { continue } } }', /longer/],
    ['TIMED_OUT', 'const run = () => ({ toJSON() { for (;;); } })', /longer/],
    ['TIMED_OUT', 'const run = async () => { for (;;) await null }', /longer/],
    ['TIMED_OUT', 'const run = () => /^(a+)+$/.test("a".repeat(40) + "b")', /longer/],
    ['TIMED_OUT', 'const run = () => { throw { get a() { for (;;); } } }', /longer/],
    ['OUT_OF_MEMORY', 'const run = () => { const all = []; for (;;) all.push({}) }', /memory/],
    ['OUT_OF_MEMORY', 'const run = () => new Uint8Array(2 ** 30)', /memory|length/],
    ['OUT_OF_MEMORY', 'const run = () => { let s = "x"; for (;;) s += s }', /memory|long/],
    ['STACK_OVERFLOW', 'const run = () => run() + 1', /stack/],
    ['STACK_OVERFLOW', `const run = () => ${'('.repeat(100_000)}1${')'.repeat(100_000)}`, /./],
  ])('returns %s (%#)', async (code, text, message) => {
    const error = await failing(text, code === 'TIMED_OUT' ? impatient : sandbox);
    expect({ code: error.code, message: error.message }).toEqual({ code, message: expect.stringMatching(message) });
    // The next script is not affected.
    expect(await run('const run = (x) => x + 1', 1)).toEqual([2]);
  });

  it('provides the language and nothing else', async () => {
    const names =
      'fetch setTimeout setInterval require process console Buffer WebAssembly Worker postMessage module std os';
    const [found] = await run(
      `const run = (names) => names.filter((name) => typeof globalThis[name] !== 'undefined')`,
      names.split(' '),
    );
    expect(found).toEqual([]);
    const [escaped] = await run(`const run = () => run.constructor('return typeof process + typeof require')()`);
    expect(escaped).toBe('undefinedundefined');
  });

  it('keeps no state between inputs or scripts', async () => {
    const leak = `
      globalThis.seen = (globalThis.seen ?? 0) + 1;
      Object.prototype.polluted = 'yes'; Array.prototype.map = () => 'stolen'; JSON.stringify = () => '"forged"';
      JSON.parse = () => 'forged'; String.prototype.slice = () => 'forged'; Object.freeze(Object.prototype);
      const run = (x) => [x, seen]`;
    expect(await run(leak, 'a', 'b')).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect(await run('const run = (x) => [typeof seen, ({}).polluted ?? null, [1].map((n) => n + 1), x]', 'c')).toEqual(
      [['undefined', null, [2], 'c']],
    );
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });

  it.each([
    ['a key __proto__', `JSON.parse('{"__proto__": {"polluted": 1}}')`],
    ['a key _bsontype', `({ a: [{ _bsontype: 'ObjectId' }] })`],
    ['NUL', `'a\\0b'`],
    ['half of a character', `['😀'.slice(0, 1)]`],
    ['half of a character in a key', `({ ['😀'.slice(1)]: 1 })`],
  ])('rejects a result with %s', async (_what, value) => {
    expect((await failing(`const run = () => ${value}`, sandbox)).code).toBe('NOT_STORABLE');
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });

  it('continues with the next input after one that fails', async () => {
    const text = 'const run = (x) => { if (x === 1) for (;;); if (x === 2) return new Uint8Array(2 ** 30); return x }';
    const outcomes = await runOn(impatient, text, 0, 1, 2, 3);
    expect(outcomes.map((one) => (one instanceof ScriptError ? one.code : one))).toEqual([
      0,
      'TIMED_OUT',
      'OUT_OF_MEMORY',
      3,
    ]);
  });

  it('reports what was thrown, also after an input that took much memory', async () => {
    const text = `function run(isHeavy) { if (!isHeavy) throw null; return 'x'.repeat(${12 * MIB}).length; }`;
    const [, error] = await runOn(start(), text, true, false);
    expect(error).toMatchObject({ code: 'THROWN', message: 'null' });
  });

  it('does not block its caller, and runs as many concurrent scripts as it has threads', async () => {
    const two = start({ threads: 2, limits: { timeoutMs: 300 } });
    const running = Promise.all(
      ['a', 'b', 'c'].map((owner) =>
        two.run({ text: 'function run() { for (;;); }', functionName: 'run' }, ['1'], { owner }),
      ),
    );
    const ended = running.then(() => true);
    let turns = 0;
    while (!(await Promise.race([ended, new Promise((resolve) => setImmediate(resolve))]))) turns += 1;
    expect(turns).toBeGreaterThan(100);
    for (const [outcome] of await running) expect(outcome).toMatchObject({ error: { code: 'TIMED_OUT' } });
  });

  it('does not count the content of strings as values', async () => {
    expect(await run('const run = (x) => x', '[{,\\"'.repeat(300))).toEqual(['[{,\\"'.repeat(300)]);
  });

  it.each<[string, string, object, number]>([
    ['have returned too much', 'const run = () => "x".repeat(1000)', { runOutputChars: 3000 }, 3],
    ['have timed out too often', 'const run = () => { for (;;); }', { timeoutMs: 50, runTimeouts: 2 }, 2],
    ['have taken too long', 'const run = () => 1', { runMs: 0 }, 1],
  ])('ends a run early once its inputs %s', async (_what, text, more, expected) => {
    const outcomes = await runOn(start({ limits: { ...limits, ...more } }), text, 1, 2, 3, 4, 5);
    expect(outcomes).toHaveLength(expected);
  });

  it('lets owners take turns, and leaves a thread to the others', async () => {
    const two = start({ threads: 2 });
    const ended: string[] = [];
    const script = (text: string) => ({ text, functionName: 'run' });
    const abort = new AbortController();
    const endless = two.run(script('const run = () => { for (;;); }'), ['1'], { owner: 'a', signal: abort.signal });
    const another = two.run(script('const run = () => 1'), ['1'], { owner: 'a' }).then(() => ended.push('a'));
    await Promise.all(
      ['b', 'b', 'b', 'c'].map((owner) =>
        two.run(script('const run = () => 1'), ['1'], { owner }).then(() => ended.push(owner)),
      ),
    );
    expect(ended).toEqual(['b', 'b', 'c', 'b']);
    abort.abort(new Error('enough'));
    await expect(endless).rejects.toThrow('enough');
    await another;
  });

  it('ends running scripts when their signal aborts, or when it is closed', async () => {
    const other = start();
    const abort = new AbortController();
    const script = { text: 'function run() { for (;;); }', functionName: 'run' };
    const running = other.run(script, ['1'], { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    expect(await runOn(other, 'const run = () => 1')).toEqual([1]);
    const closed = expect(other.run(script, ['1'])).rejects.toThrow('has ended');
    await new Promise((resolve) => setImmediate(resolve));
    await other.close();
    await closed;
    await expect(other.run({ ...script, functionName: 'a()' }, ['1'])).rejects.toThrow('identifier');
  });
});

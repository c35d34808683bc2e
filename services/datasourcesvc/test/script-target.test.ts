import { afterAll, describe, expect, it } from '@jest/globals';
import { startAppWithOthers, step } from './start-app.js';

const app = await startAppWithOthers();
const { others } = app;
afterAll(() => app.stop());

describe('the component default_script_target', () => {
  const run = (params: object = {}) =>
    app.runAtOnce(step('default_script_target', { userType: 'etl', _scriptName: 'count', ...params }));
  const failureOf = async (params?: object) => {
    const { _status, orchrunsteps } = await run(params);
    expect(_status).toBe('ERROR');
    return orchrunsteps[0]._statusmsg;
  };
  /** itemsvc has scripts of the type `etl`, by name. */
  const withScripts = (scripts: [name: string, text: unknown][]) =>
    others.answerWith(({ url }, res) => {
      const { searchParams } = new URL(url, 'http://items');
      const { _userType, _name } = JSON.parse(searchParams.get('query')!);
      const found = scripts.filter(([name]) => _userType === 'etl' && (_name === undefined || _name === name));
      const _list = found.map(([, _userData]) => ({ _versions: [{ _userData }] }));
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ _list }));
      return true;
    });

  it('calls run of the named script with the other parameters, and returns its result', async () => {
    withScripts([
      ['count', 'async function run({ doors }) { return { sum: doors.reduce((a, b) => a + b, 0) }; } // end'],
      ['other', 'no JavaScript'],
    ]);
    expect(await run({ doors: [1, 2, 3] })).toMatchObject({ _status: 'COMPLETED', _result: { sum: 6 } });
    const [call] = others.calls;
    expect(call).toMatchObject({ method: 'GET', authorization: 'Bearer token-1-of-olga' });
    const { pathname, searchParams } = new URL(call!.url, 'http://items');
    expect(pathname).toBe('/itemsvc/api/v1/nameduseritems');
    expect(Object.fromEntries(searchParams)).toEqual({
      nsfilter: 'tower_1',
      query: '{"_itemClass":"Script","_userType":"etl","_name":"count"}',
      _pageSize: '2',
    });
  });

  it('keeps lines and errors of any text, cut between characters', async () => {
    const text = `function run() { console.log('😀'.repeat(600)); console.log('\\0'); throw new Error('a\\ud800\\0'); }`;
    withScripts([['count', text]]);
    const { _status, orchrunsteps } = await run();
    expect(_status).toBe('ERROR');
    expect(orchrunsteps[0]._statusmsg).toBe('The script failed. THROWN: Error: a\ufffd\ufffd');
    expect(orchrunsteps[0]._log).toEqual(['😀'.repeat(500), '\ufffd']);
  });

  it('calls the named function if the type has a single script of another name', async () => {
    withScripts([['all', 'function count(input) { return Object.keys(input); }']]);
    expect(await run({ a: 1 })).toMatchObject({ _status: 'COMPLETED', _result: ['a'] });
  });

  it('has a console whose calls never end a step, whatever their arguments', async () => {
    const text = `function run() {
      const trap = new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 }, getPrototypeOf() { throw 3 } });
      console.error('failed', { cause: new Error('inner') }, trap, () => 1);
      console.table([1]); console.dir({ a: 1 }, { depth: 2 }); console.trace('t'); console.time('x');
      console.assert(false, 'odd');
      console.debug('😀'.repeat(600));
      console.log(Array(1e6).fill('x'), ...Array(1e4).fill('y'));
      return 'done';
    }`;
    withScripts([['count', text]]);
    const { _status, _result, orchrunsteps } = await run();
    expect([_status, _result]).toEqual(['COMPLETED', 'done']);
    const lines = orchrunsteps[0]._log as string[];
    expect(lines[0]).toBe('failed {"cause":Error: inner} [object] [function ]');
    expect(lines).toContain('Assertion failed odd');
    expect(lines).toContain('😀'.repeat(500));
    for (const line of lines) expect(Array.from(line).length).toBeLessThanOrEqual(500);
  });

  it('has a console that works whatever the script replaces', async () => {
    const replaced = `
      Array.prototype.slice = Array.prototype.map = function () { return this; };
      Array.prototype.join = Array.prototype.push = () => { throw 1 };
      Array.prototype[Symbol.iterator] = () => { throw 2 };
      RegExp.prototype[Symbol.replace] = (text) => text; RegExp.prototype.exec = () => null;`;
    const text = `${replaced} function run() { console.log('x'.repeat(900), 'y'); console.log('\0'); console.assert(0, 1); return 1; }`;
    withScripts([['count', text]]);
    const { _status, orchrunsteps } = await run();
    expect([_status, orchrunsteps[0]._log]).toEqual(['COMPLETED', ['x'.repeat(500), '\ufffd']]);
  });

  it.each([
    ['throws', 'function run() { throw new TypeError("no doors"); }', 'The script failed. THROWN: TypeError: no doors'],
    ['defines no run', 'const x = 1;', 'The script failed. THROWN: The script does not define a function run.'],
    ['takes too much memory', 'function run() { return new ArrayBuffer(1e9).byteLength; }', /out of memory/],
    ['returns too much', 'function run() { return "x".repeat(300000); }', /OUTPUT_TOO_LARGE/],
    ['spoils what is around it', 'var __lines = 7; function run() { return 1; }', /NOT_JSON/],
    ['returns a reserved key', 'const run = () => [{ _bsontype: 1 }]', /NOT_STORABLE: .*: value\[0\]/],
    ['is not text', { text: 'function run() {}' }, 'The _userData of the script is not text.'],
  ])('fails when the script %s', async (_what, text, message) => {
    withScripts([['count', text]]);
    expect(await failureOf()).toMatch(message);
  });

  it('ends a script that runs too long', async () => {
    withScripts([['count', 'function run() { for (;;); }']]);
    expect(await failureOf()).toBe('The script failed. TIMED_OUT: The script took longer than 5000 ms.');
  });

  it('fails when there is no such script, or several', async () => {
    withScripts([]);
    const missing = /^The script does not exist in the namespace of the run, /;
    expect(await failureOf()).toMatch(missing);
    expect(await failureOf({ _scriptName: 'not a function' })).toMatch(missing);
    withScripts(Array(2).fill(['count', 'function run() {}']));
    expect(await failureOf()).toBe('Several scripts in the namespace of the run have this name and user type.');
  });
});

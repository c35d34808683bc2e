import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startOtherServices } from './other-services.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

describe('the component default_script_target', () => {
  let others: Awaited<ReturnType<typeof startOtherServices>>;
  let app: TestApp;
  let owner: { authorization: string };
  const run = async (params: object = {}) => {
    const _actualparams = { userType: 'etl', _scriptName: 'count', ...params };
    const tasks = [{ _orchcomp: 'default_script_target', _sequenceno: 1, _actualparams }];
    const { id } = await app.create(owner, tasks, { instant: true });
    return app.run(owner, id);
  };
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

  beforeAll(async () => {
    others = await startOtherServices();
    app = await startApp({ environment: others.environment });
    owner = await app.as('olga');
    await app.grants.allow('olga', 'tower_1', '*:*:*', ['*']);
  });
  afterAll(async () => {
    await app.stop();
    await others.stop();
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

  it.each(['({ _bsontype: 1 })', "'a\\0b'", "['\\ud800']", 'JSON.parse(\'{"__proto__": 1}\')'])(
    'fails when the result %s cannot be stored',
    async (result) => {
      withScripts([['count', `const run = () => ${result}`]]);
      expect(await failureOf()).toMatch(/^The script failed. NOT_STORABLE: /);
    },
  );

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

  it('has a console and no access to anything', async () => {
    withScripts([
      ['count', 'function run() { console.log("in", {}); return [typeof process, typeof require, typeof fetch]; }'],
    ]);
    expect(await run()).toMatchObject({
      _result: ['undefined', 'undefined', 'undefined'],
      orchrunsteps: [{ _log: ['in {}'] }],
    });
  });

  it('has a console whose calls never end a step, whatever they get', async () => {
    withScripts([
      [
        'count',
        `function run() {
          const cycle = { a: 1 }; cycle.self = cycle;
          const trap = new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 }, getPrototypeOf() { throw 3 } });
          console.log(new TypeError('no doors'), cycle, 10n, Symbol('s'), undefined, null, NaN);
          console.error('failed', { cause: new Error('inner') }, trap, () => 1);
          console.warn({ get a() { throw new Error('getter') } }, { toJSON() { throw 1 }, toString() { throw 2 } });
          console.info(new Map([[1, new Set([2])]]), new Date(0), Object.create(null));
          console.table([1]); console.dir({ a: 1 }, { depth: 2 }); console.trace('t'); console.assert(false, 'odd'); console.time('x');
          console.debug('😀'.repeat(600));
          console.log(Array(1e6).fill('x'), ...Array(1e4).fill('y'));
          let deep = 1; for (let n = 0; n < 1e5; n++) deep = { deep };
          console.log(deep);
          JSON.stringify = String = undefined;
          console.log({ a: ['b'] });
          return 'done';
        }`,
      ],
    ]);
    const { _status, _result, orchrunsteps } = await run();
    expect([_status, _result]).toEqual(['COMPLETED', 'done']);
    const lines = orchrunsteps[0]._log as string[];
    expect(lines.slice(0, 4)).toEqual([
      'TypeError: no doors {"a":1,"self":[circular]} 10n Symbol(s) undefined null NaN',
      'failed {"cause":Error: inner} [object] [function ]',
      '{"a":Error: getter} {"toJSON":[function toJSON],"toString":[function toString]}',
      'Map [[1,Set [2]]] "1970-01-01T00:00:00.000Z" {}',
    ]);
    expect(lines).toContain('Assertion failed odd');
    expect(lines).toContain('😀'.repeat(500));
    expect(lines.at(-1)).toBe('{"a":["b"]}');
    for (const line of lines) expect(Array.from(line).length).toBeLessThanOrEqual(500);
  });

  it('has a console that works whatever the script replaces', async () => {
    const replaced = `
      Array.prototype.slice = Array.prototype.map = function () { return this; };
      Array.prototype.join = Array.prototype.push = () => { throw 1 };
      Array.prototype[Symbol.iterator] = () => { throw 2 };
      RegExp.prototype[Symbol.replace] = (text) => text; RegExp.prototype.exec = () => null;`;
    withScripts([
      [
        'count',
        `${replaced} function run() { console.log('x'.repeat(900), 'y'); console.log('\0'); console.assert(0, 1); return 1; }`,
      ],
    ]);
    const { _status, orchrunsteps } = await run();
    expect([_status, orchrunsteps[0]._log]).toEqual(['COMPLETED', ['x'.repeat(500), '\ufffd']]);
  });

  it.each([
    ['a reserved key', '{ a: [{ _bsontype: "Long" }] }', /NOT_STORABLE: .*reserved name: value\.a/],
    ['NaN', '{ a: { b: NaN } }', 'The script failed. NOT_JSON: TypeError: b is NaN, which JSON does not have'],
    ['-Infinity', '[-Infinity]', /-Infinity, which JSON does not have$/],
    ['a Map', 'new Map()', /is a Map, which JSON does not have$/],
    ['a BigInt', '{ a: 1n }', /NOT_JSON: TypeError: .*BigInt/i],
    ['a cycle', '(() => { const a = []; a[0] = a; return a; })()', /NOT_JSON: TypeError: circular/],
  ])('fails when the result has %s', async (_what, value, message) => {
    withScripts([['count', `function run() { const value = ${value}; return value; }`]]);
    expect(await failureOf()).toMatch(message);
  });

  it.each([
    ['{ code: 7, at: [1] }', 'THROWN: {"code":7,"at":[1]}'],
    ['"late"', 'THROWN: late'],
    ['null', 'THROWN: null'],
    ['undefined', 'THROWN: undefined'],
    ['10n', 'THROWN: 10n'],
    ['"😀".repeat(2000)', `THROWN: ${'😀'.repeat(1000)}`],
  ])('reports what was thrown or rejected with, even if it is not an Error: %s', async (value, message) => {
    for (const how of [`throw ${value}`, `return Promise.reject(${value})`]) {
      withScripts([['count', `function run() { ${how}; }`]]);
      expect(await failureOf()).toBe(`The script failed. ${message}`);
    }
  });

  it.each([
    ['throws', 'function run() { throw new TypeError("no doors"); }', 'The script failed. THROWN: TypeError: no doors'],
    ['is no JavaScript', 'function run( {', /^The script failed\. SYNTAX: /],
    ['defines no run', 'const x = 1;', 'The script failed. THROWN: The script defines no function run.'],
    ['takes too much memory', 'function run() { return new ArrayBuffer(1e9).byteLength; }', /out of memory/],
    ['returns too much', 'function run() { return "x".repeat(300000); }', /OUTPUT_TOO_LARGE/],
    ['spoils what is around it', 'var __lines = 7; function run() { return 1; }', /NOT_JSON/],
    ['is no text', { text: 'function run() {}' }, 'The _userData of the script is not text.'],
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
    const missing = /^There is no such script in the namespace of the run, /;
    expect(await failureOf()).toMatch(missing);
    expect(await failureOf({ _scriptName: 'not a function' })).toMatch(missing);
    withScripts([
      ['count', 'function run() {}'],
      ['count', 'function run() {}'],
    ]);
    expect(await failureOf()).toBe('Several scripts in the namespace of the run have this name and user type.');
  });
});

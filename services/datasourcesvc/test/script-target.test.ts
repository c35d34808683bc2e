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

  it('calls run of the script of that name with the other parameters, and returns its result', async () => {
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
    'fails when the result %s cannot be kept',
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

  it('calls the function of that name where the type has one script of another name', async () => {
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

import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { enter, openWorkspace, type Person } from './support/people.js';
import { send } from './support/platform.js';
import { createItem, createOrchestrator, grant, uploadFile } from './support/resources.js';

/** Components of datasourcesvc that call other services. */
describe('a step', () => {
  let owner: Person;
  let partner: Person;
  let namespace: string;

  const startAndEnd = async (tasks: object[], starter = owner) => {
    const id = await createOrchestrator(owner, namespace, tasks);
    const irn = `datasourcesvc:orchestrator:${id}`;
    if (starter !== owner) await grant(owner, starter, { namespace, irn, actions: ['READ', 'RUN'] });
    const query = { nsfilter: namespace };
    const path = `/datasourcesvc/api/v1/orchestrators/${id}/run`;
    const { status, body: started } = await send('POST', path, { token: starter.token, query });
    expect(status).toBe(200);
    return eventually(
      async () => {
        const run = `/datasourcesvc/api/v1/orchrun/${started.id}`;
        const { body } = await send('GET', run, { token: owner.token, query });
        expect(['COMPLETED', 'ERROR']).toContain(body[0]._status);
        return body[0];
      },
      { timeoutMs: 30_000 },
    );
  };
  const rowsOf = async (collection: string, pageSize = 1000) => {
    const query = { nsfilter: namespace, _pageSize: String(pageSize), sort: '{"n":1}' };
    const path = `/itemsvc/api/v1/nameduseritems/${collection}/relateditems`;
    const { status, body } = await send('GET', path, { token: owner.token, query });
    expect(status).toBe(200);
    return body;
  };
  const importTask = (fileId: string, collectionId: string, format = 'json') => ({
    _orchcomp: 'import_file_items',
    _sequenceno: 1,
    _actualparams: { fileId, collectionId, format },
  });

  beforeAll(async () => {
    [owner, partner] = await Promise.all([enter(), enter()]);
    namespace = await openWorkspace(owner);
  });

  it('imports the rows of a file into a collection', async () => {
    const rows = Array.from({ length: 1100 }, (_, n) => ({ n, name: `door ${n}` }));
    const file = await uploadFile(owner, namespace, { content: JSON.stringify(rows) });
    const collection = await createItem(owner, namespace);
    const run = await startAndEnd([importTask(file, collection)]);
    expect(run).toMatchObject({ _status: 'COMPLETED', _result: { imported: 1100 } });
    const { _total, _list } = await rowsOf(collection);
    expect(_total).toBe(1100);
    expect(_list.slice(0, 2)).toMatchObject(rows.slice(0, 2));
  });

  it('imports file items from CSV, and names a row whose file does not exist', async () => {
    const collection = await createItem(owner, namespace, { _itemClass: 'NamedFileCollection' });
    const drawing = await uploadFile(owner, namespace);
    const good = await uploadFile(owner, namespace, { content: `_fileId,aspect\n${drawing},plan\n` });
    expect(await startAndEnd([importTask(good, collection, 'csv')])).toMatchObject({ _result: { imported: 1 } });
    const missing = 'f'.repeat(24);
    const bad = await uploadFile(owner, namespace, { content: `_fileId\n${drawing}\n${missing}\n` });
    const { orchrunsteps } = await startAndEnd([importTask(bad, collection, 'csv')]);
    expect(orchrunsteps[0]._statusmsg).toBe('Row 2 of the file was refused. _fileId: no such file');
    expect(await rowsOf(collection)).toMatchObject({ _total: 1, _list: [{ _fileId: drawing, aspect: 'plan' }] });
  });

  it("imports with the starter's permissions alone", async () => {
    const file = await uploadFile(owner, namespace, { content: '[{"n":1}]' });
    const collection = await createItem(owner, namespace);
    const failure = async () => (await startAndEnd([importTask(file, collection)], partner)).orchrunsteps[0]._statusmsg;
    expect(await failure()).toMatch(/^The file does not exist in the namespace of the run, /);
    await grant(owner, partner, { namespace, irn: `filesvc:file:${file}`, actions: ['READ'] });
    expect(await failure()).toMatch(/^The collection does not exist in the namespace of the run, /);
    const irn = `itemsvc:nameduseritem:${collection}`;
    await grant(owner, partner, { namespace, irn, actions: ['READ', 'CREATE'] });
    const run = await startAndEnd([importTask(file, collection)], partner);
    expect(run).toMatchObject({ _status: 'COMPLETED', _result: { imported: 1 } });
  });

  it("runs a script with the starter's permissions alone", async () => {
    const _userData =
      'async function run({ doors }) { console.log(doors); return doors.filter((door) => door.open).length; }';
    const script = await createItem(owner, namespace, {
      _name: 'count open doors',
      _userType: 'steps',
      _itemClass: 'Script',
      _version: { _userData },
    });
    const params = { userType: 'steps', _scriptName: 'count open doors', doors: [{ open: true }, { open: false }] };
    const tasks = [{ _orchcomp: 'default_script_target', _sequenceno: 1, _actualparams: params }];
    expect(await startAndEnd(tasks)).toMatchObject({ _status: 'COMPLETED', _result: 1 });
    const { orchrunsteps } = await startAndEnd(tasks, partner);
    expect(orchrunsteps[0]._statusmsg).toMatch(/^There is no such script in the namespace of the run, /);
    await grant(owner, partner, { namespace, irn: `itemsvc:nameduseritem:${script}`, actions: ['READ'] });
    expect(await startAndEnd(tasks, partner)).toMatchObject({ _status: 'COMPLETED', _result: 1 });
  });
});

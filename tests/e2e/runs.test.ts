import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { enter, openWorkspace, type Person } from './support/people.js';
import { send } from './support/platform.js';
import {
  createItem,
  createOrchestrator,
  createPermissionProfile,
  grant,
  must,
  uploadFile,
} from './support/resources.js';

/** Runs whose steps call other services. */
describe('a run', () => {
  let owner: Person;
  let partner: Person;
  let namespace: string;
  let query: { nsfilter: string };

  const step = (component: string, params: object) => ({
    ...{ _orchcomp: component, _sequenceno: 1, _actualparams: params },
  });
  const load = (file: string) => step('load_graphics_files', { fileIds: [file] });
  const importOf = (fileId: string, collectionId: string, format = 'json') =>
    step('import_file_items', { fileId, collectionId, format });
  const createFor = async (task: object, more: object = {}) => {
    const id = await createOrchestrator(owner, namespace, [task], more);
    const irn = `datasourcesvc:orchestrator:${id}`;
    await grant(owner, partner, { namespace, irn, actions: ['READ', 'RUN'] });
    return id;
  };
  const startAndEnd = async (id: string, { token }: Person) => {
    const path = `/datasourcesvc/api/v1/orchestrators/${id}/run`;
    const { body: started } = await must(200, 'POST', path, { token, query });
    return eventually(
      async () => {
        const run = `/datasourcesvc/api/v1/orchrun/${started.id}`;
        const { body } = await must(200, 'GET', run, { token: owner.token, query });
        expect(['COMPLETED', 'ERROR']).toContain(body[0]._status);
        return { ...body[0], problem: body[0].orchrunsteps[0]._statusmsg as string };
      },
      { timeoutMs: 30_000 },
    );
  };

  beforeAll(async () => {
    [owner, partner] = await Promise.all([enter(), enter()]);
    namespace = await openWorkspace(owner);
    query = { nsfilter: namespace };
  });

  describe("has its starter's permissions alone", () => {
    it('to load files', async () => {
      const file = await uploadFile(owner, namespace, { tags: '#invgraphicsfile#' });
      const orchestrator = await createFor(load(file));
      const path = `/graphicssvc/api/v1/filestore/${file}`;
      const rejected = await startAndEnd(orchestrator, partner);
      expect(rejected).toMatchObject({
        _status: 'ERROR',
        problem: expect.stringMatching(/no permission to read it\.$/),
      });
      await must(404, 'GET', path, { token: owner.token, query });
      await grant(owner, partner, { namespace, irn: `filesvc:file:${file}`, actions: ['READ'] });
      expect(await startAndEnd(orchestrator, partner)).toMatchObject({ _status: 'COMPLETED', _createdby: partner.id });
      await must(200, 'GET', path, { token: owner.token, query });
    });

    it('to import the rows of a file', async () => {
      const file = await uploadFile(owner, namespace, { content: '[{"n":1}]' });
      const collection = await createItem(owner, namespace);
      const orchestrator = await createFor(importOf(file, collection));
      const run = () => startAndEnd(orchestrator, partner);
      expect((await run()).problem).toMatch(/^The file does not exist in the namespace of the run, /);
      await grant(owner, partner, { namespace, irn: `filesvc:file:${file}`, actions: ['READ'] });
      expect((await run()).problem).toMatch(/^The collection does not exist in the namespace of the run, /);
      const irn = `itemsvc:nameduseritem:${collection}`;
      await grant(owner, partner, { namespace, irn, actions: ['READ', 'CREATE'] });
      expect(await run()).toMatchObject({ _status: 'COMPLETED', _result: { imported: 1 } });
    });

    it('to run a script', async () => {
      const _userData = 'async function run({ doors }) { return doors.filter((door) => door.open).length; }';
      const named = { _name: 'count open doors', _userType: 'steps', _itemClass: 'Script' };
      const script = await createItem(owner, namespace, { ...named, _version: { _userData } });
      const params = { userType: 'steps', _scriptName: 'count open doors', doors: [{ open: true }, { open: false }] };
      const orchestrator = await createFor(step('default_script_target', params));
      const rejected = await startAndEnd(orchestrator, partner);
      expect(rejected.problem).toMatch(/^The script does not exist in the namespace of the run, /);
      await grant(owner, partner, { namespace, irn: `itemsvc:nameduseritem:${script}`, actions: ['READ'] });
      expect(await startAndEnd(orchestrator, partner)).toMatchObject({ _status: 'COMPLETED', _result: 1 });
    });
  });

  it("has the permissions of its orchestrator's profile, until that is deleted", async () => {
    const secret = await uploadFile(owner, namespace, { tags: '#invgraphicsfile#' });
    const profile = await createPermissionProfile(owner, namespace);
    const id = await createFor(load(secret), { _permissionprofileid: profile });
    // The owner's run, too, has the profile's permissions alone.
    for (const starter of [owner, partner])
      expect((await startAndEnd(id, starter)).problem).toMatch(/no permission to read it\.$/);
    const readsIt = { namespace, irn: `filesvc:file:${secret}`, actions: ['READ'], type: 'permprofile' };
    await grant(owner, { id: profile }, readsIt);
    expect(await startAndEnd(id, partner)).toMatchObject({ _status: 'COMPLETED', _createdby: partner.id });

    const path = `/passportsvc/api/v1/permissionprofiles/${profile}`;
    expect((await send('DELETE', path, { token: owner.token })).status).toBe(204);
    const { problem } = await startAndEnd(id, partner);
    expect(problem).toBe('The required permission profile no longer exists.');
    await expect(grant(owner, { id: profile }, readsIt)).rejects.toThrow('UNKNOWN_SUBJECT');
  });
});

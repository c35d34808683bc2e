import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { enter, openWorkspace, type Person } from './support/people.js';
import { dev, send } from './support/platform.js';
import { createOrchestrator, createPermissionProfile, grant, uploadFile } from './support/resources.js';

/** Runs of an orchestrator that loads a file of its owner. */
describe('a run', () => {
  let owner: Person;
  let partner: Person;
  let namespace: string;
  let elsewhere: string;
  let file: string;
  let orchestrator: string;

  const start = ({ token }: Person, nsfilter = namespace, id = orchestrator) =>
    send('POST', `/datasourcesvc/api/v1/orchestrators/${id}/run`, { token, query: { nsfilter } });
  const startAndEnd = async (starter: Person, id = orchestrator) => {
    const { status, body: started } = await start(starter, namespace, id);
    expect(status).toBe(200);
    return eventually(
      async () => {
        const query = { nsfilter: namespace };
        const { body } = await send('GET', `/datasourcesvc/api/v1/orchrun/${started.id}`, {
          token: owner.token,
          query,
        });
        expect(['COMPLETED', 'ERROR']).toContain(body[0]._status);
        return body[0];
      },
      { timeoutMs: 30_000 },
    );
  };
  const statusOfLoad = async () => {
    const request = { token: owner.token, query: { nsfilter: namespace } };
    return (await send('GET', `/graphicssvc/api/v1/filestore/${file}`, request)).status;
  };

  beforeAll(async () => {
    [owner, partner] = await Promise.all([enter(), enter()]);
    namespace = await openWorkspace(owner);
    elsewhere = await openWorkspace(partner);
    file = await uploadFile(owner, namespace, { tags: '#invgraphicsfile#' });
    const tasks = [{ _orchcomp: 'load_graphics_files', _sequenceno: 1, _actualparams: { fileIds: [file] } }];
    orchestrator = await createOrchestrator(owner, namespace, tasks);
    const irn = `datasourcesvc:orchestrator:${orchestrator}`;
    await grant(owner, partner, { namespace, irn, actions: ['READ', 'RUN'] });
  });

  it('works only in a namespace of its orchestrator', async () => {
    for (const nsfilter of [elsewhere, 'nowhere']) expect((await start(partner, nsfilter)).status).toBe(400);
  });

  it("has only its starter's permissions", async () => {
    const rejected = await startAndEnd(partner);
    expect(rejected._status).toBe('ERROR');
    expect(rejected.orchrunsteps[0]._statusmsg).toMatch(/may not read it\.$/);
    expect(await statusOfLoad()).toBe(404);

    await grant(owner, partner, { namespace, irn: `filesvc:file:${file}`, actions: ['READ'] });
    expect(await startAndEnd(partner)).toMatchObject({ _status: 'COMPLETED', _createdby: partner.id });
    expect(await statusOfLoad()).toBe(200);
  });

  it("has the permissions of its orchestrator's profile, until that is deleted", async () => {
    const secret = await uploadFile(owner, namespace, { tags: '#invgraphicsfile#' });
    const tasks = [{ _orchcomp: 'load_graphics_files', _sequenceno: 1, _actualparams: { fileIds: [secret] } }];
    const profile = await createPermissionProfile(owner, namespace);
    const assigned = { _permissionprofileid: profile };
    const id = await createOrchestrator(owner, namespace, tasks, assigned);
    const irn = `datasourcesvc:orchestrator:${id}`;
    await grant(owner, partner, { namespace, irn, actions: ['READ', 'RUN'] });

    // The owner's run, too, has the profile's permissions alone.
    for (const starter of [owner, partner]) {
      const { orchrunsteps } = await startAndEnd(starter, id);
      expect(orchrunsteps[0]._statusmsg).toMatch(/may not read it\.$/);
    }
    const readsIt = { namespace, irn: `filesvc:file:${secret}`, actions: ['READ'], type: 'permprofile' };
    await grant(owner, { id: profile }, readsIt);
    expect(await startAndEnd(partner, id)).toMatchObject({ _status: 'COMPLETED', _createdby: partner.id });

    const elsewhereOnly = { _name: 'x', _namespaces: [elsewhere], _params: { tasks }, ...assigned };
    const request = { token: partner.token, query: { nsfilter: elsewhere }, json: elsewhereOnly };
    expect((await send('POST', '/datasourcesvc/api/v1/orchestrators', request)).status).toBe(400);

    const path = `/passportsvc/api/v1/permissionprofiles/${profile}`;
    expect((await send('DELETE', path, { token: partner.token })).status).toBe(404);
    expect((await send('DELETE', path, { token: owner.token })).status).toBe(204);
    const { orchrunsteps } = await startAndEnd(partner, id);
    expect(orchrunsteps[0]._statusmsg).toBe('The permission profile whose rights are needed no longer exists.');
    await expect(grant(owner, { id: profile }, readsIt)).rejects.toThrow('UNKNOWN_SUBJECT');
  });

  it('can be followed through the gateway while it works, and retried', async () => {
    const wait = { _orchcomp: 'wait', _sequenceno: 1, _actualparams: { ms: 600_000 } };
    const id = await createOrchestrator(owner, namespace, [wait]);
    const { body: run } = await start(owner, namespace, id);
    const path = `/datasourcesvc/api/v1/orchrun/${run.id}`;
    const url = new URL(`${path}?nsfilter=${namespace}`, dev.baseUrl);
    const headers = { authorization: `Bearer ${owner.token}`, accept: 'text/event-stream' };
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(60_000) });
    expect(response.status).toBe(200);

    let received = '';
    const ended = (async () => {
      for await (const chunk of response.body!) received += Buffer.from(chunk as Uint8Array).toString();
    })();
    await eventually(() => expect(received).toContain('"_status":"RUNNING"'));
    const request = { token: owner.token, query: { nsfilter: namespace } };
    expect((await send('DELETE', path, request)).status).toBe(204);
    await ended;
    expect(received.split('\n\n').at(-2)).toContain('"_status":"CANCELLED"');

    const retried = await send('POST', `${path}/retry`, request);
    expect(retried).toMatchObject({ status: 200, body: { id: run.id, _status: 'QUEUED', _attempts: 2 } });
    expect((await send('DELETE', path, request)).status).toBe(204);
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { enter, openWorkspace, type Person } from './support/people.js';
import { send } from './support/platform.js';
import { createOrchestrator, grant, uploadFile } from './support/resources.js';

/** Runs of an orchestrator that loads a file of its owner. */
describe('a run', () => {
  let owner: Person;
  let partner: Person;
  let namespace: string;
  let elsewhere: string;
  let file: string;
  let orchestrator: string;

  const start = ({ token }: Person, nsfilter = namespace) =>
    send('POST', `/datasourcesvc/api/v1/orchestrators/${orchestrator}/run`, { token, query: { nsfilter } });
  const startAndEnd = async (starter: Person) => {
    const { status, body: started } = await start(starter);
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

  it('does only what its starter may do', async () => {
    const refused = await startAndEnd(partner);
    expect(refused._status).toBe('ERROR');
    expect(refused.orchrunsteps[0]._statusmsg).toMatch(/may not read it\.$/);
    expect(await statusOfLoad()).toBe(404);

    await grant(owner, partner, { namespace, irn: `filesvc:file:${file}`, actions: ['READ'] });
    expect(await startAndEnd(partner)).toMatchObject({ _status: 'COMPLETED', _createdby: partner.id });
    expect(await statusOfLoad()).toBe(200);
  });
});

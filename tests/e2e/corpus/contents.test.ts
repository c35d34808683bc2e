import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { enter, openWorkspace, type Person } from '../support/people.js';
import { dev, send } from '../support/platform.js';
import { createItem, createOrchestrator, must } from '../support/resources.js';
import { type Content, FILES, formsFor, type Import, IMPORTS } from './contents.js';

const PATH = '/filesvc/api/v1/files';
const RUN_MS = 60_000;
const ENDED = ['COMPLETED', 'ERROR', 'CANCELLED'];
const LOADING = ['QUEUED', 'LOADING'];

let person: Person;
let query: { nsfilter: string };

beforeAll(async () => {
  person = await enter();
  query = { nsfilter: await openWorkspace(person) };
});

afterAll(() => {
  const sent = FILES.length + IMPORTS.length + formsFor('').length;
  process.stdout.write(`corpus: ${sent} files, imports and forms\n`);
});

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

async function upload({ name, bytes }: Content, tags?: string): Promise<string> {
  const body = new FormData();
  body.set('_namespaces', query.nsfilter);
  if (tags !== undefined) body.set('_tags', tags);
  body.set('file', new Blob([new Uint8Array(bytes)]), name);
  return (await must(201, 'POST', PATH, { token: person.token, query, body })).body[0]._id as string;
}

async function contentOf(id: string): Promise<string> {
  const url = new URL(`${PATH}/${id}/content?nsfilter=${query.nsfilter}`, dev.baseUrl);
  const response = await fetch(url, { headers: { authorization: `Bearer ${person.token}` } });
  return sha256(Buffer.from(await response.arrayBuffer()));
}

it('files of any content are stored unchanged, and loading them as graphics ends', async () => {
  const { token } = person;
  const ids = await Promise.all(FILES.map((file) => upload(file, '#invgraphicsfile#')));
  const json = ids.map((_fileId) => ({ _fileId }));
  await must(200, 'PUT', '/graphicssvc/api/v1/filestore', { token, query, json });
  const outcomes = await Promise.all(
    ids.map(async (id, index) => {
      const status = await eventually(async () => {
        const { body } = await must(200, 'GET', `/graphicssvc/api/v1/filestore/${id}`, { token, query });
        if (LOADING.includes(body._status)) throw new Error(`${FILES[index]!.name} is ${body._status}`);
        return body._status as string;
      });
      return [FILES[index]!.name, await contentOf(id), status];
    }),
  );
  expect(outcomes).toEqual(FILES.map(({ name, bytes }) => [name, sha256(bytes), 'LOADED']));
});

describe('imports', () => {
  it.each(IMPORTS.map((one): [string, Import] => [one.name, one]))('%s', async (_name, file) => {
    const { token } = person;
    const [fileId, collectionId] = await Promise.all([upload(file), createItem(person, query.nsfilter)]);
    const params = { fileId, collectionId, format: file.format };
    const step = { _orchcomp: 'import_file_items', _sequenceno: 1, _name: 'import', _actualparams: params };
    const orchestrator = await createOrchestrator(person, query.nsfilter, [step]);
    const run = await must(200, 'POST', `/datasourcesvc/api/v1/orchestrators/${orchestrator}/run`, {
      token,
      query,
      json: {},
    });
    const ended = await eventually(
      async () => {
        const [found] = (await must(200, 'GET', `/datasourcesvc/api/v1/orchrun/${run.body.id}`, { token, query })).body;
        if (!ENDED.includes(found._status)) throw new Error(`the run is ${found._status}`);
        return found as { _status: string; orchrunsteps: { _statusmsg: string }[] };
      },
      { timeoutMs: RUN_MS },
    );
    expect([ended._status, ended.orchrunsteps[0]!._statusmsg]).toEqual([
      file.isRefused ? 'ERROR' : 'COMPLETED',
      expect.anything(),
    ]);
    const { body } = await must(200, 'GET', `/itemsvc/api/v1/nameduseritems/${collectionId}/relateditems`, {
      token,
      query,
    });
    expect(JSON.stringify(body)).not.toContain('\ufffd');
    expect(body._list.length > 0).toBe(!file.isRefused);
  });
});

it('forms are rejected or stored, and a rejected one stores nothing', async () => {
  const namesOf = async () =>
    (await must(200, 'GET', PATH, { token: person.token, query: { ...query, _pageSize: '200' } })).body
      ._total as number;
  const outcomes: [string, string][] = [];
  for (const { name, type, body, isRefused } of formsFor(query.nsfilter)) {
    const before = await namesOf();
    const { status } = await send('POST', PATH, {
      token: person.token,
      query,
      body,
      headers: { 'content-type': type },
    });
    const outcome = status < 300 ? 'stored' : status < 500 ? 'refused' : String(status);
    outcomes.push([
      name,
      (await namesOf()) - before === (isRefused ? 0 : 1) ? outcome : `${outcome}, but changed the list`,
    ]);
  }
  expect(outcomes).toEqual(formsFor('').map(({ name, isRefused }) => [name, isRefused ? 'refused' : 'stored']));
});

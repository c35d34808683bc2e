import { randomBytes } from 'node:crypto';
import { until } from '@dtplatform/stack';
import { FILES, FILESTORE, ORCHESTRATORS } from '@dtplatform/stack/client';
import type { LoadUser } from './load-user.js';

export type Workspace = Pick<LoadUser, 'caller' | 'namespace'>;

/** Polling faster than this would distort counts. */
export const FOLLOW = { timeoutMs: 60_000, everyMs: 200 };

interface FileOptions {
  name?: string;
  type?: string;
  /** Whether graphicssvc may load it. */
  graphics?: boolean;
}

/** Stores a file by a form. Resolves with its id. */
export async function storeFile(
  { caller, namespace }: Workspace,
  content: string | Buffer<ArrayBuffer>,
  { name = `${randomBytes(6).toString('hex')}.bin`, type = '', graphics = false }: FileOptions = {},
): Promise<string> {
  const body = new FormData();
  body.set('_namespaces', namespace);
  if (graphics) body.set('_tags', '#invgraphicsfile#');
  body.set('file', new Blob([content], { type }), name);
  const query = { nsfilter: namespace };
  return (await caller.call<{ _id: string }[]>('POST', FILES, { query, body, expect: 201 })).body[0]!._id;
}

/** Stores a file and loads it into the graphics file store. Resolves with its id once it is loaded. */
export async function loadGraphics(workspace: Workspace, content: string | Buffer<ArrayBuffer>): Promise<string> {
  const { caller, namespace } = workspace;
  const query = { nsfilter: namespace };
  const id = await storeFile(workspace, content, { graphics: true });
  await caller.call('PUT', FILESTORE, { query, json: [{ _fileId: id }] });
  const isLoaded = async () => {
    const path = `/graphicssvc/api/v1/filestore/${id}`;
    const { _status } = (await caller.call<{ _status: string }>('GET', path, { query })).body;
    if (['SKIPPED', 'ERROR'].includes(_status)) throw new Error(`the load of file ${id} is ${_status}`);
    return _status === 'LOADED';
  };
  await until('a graphics file is loaded', isLoaded, FOLLOW);
  return id;
}

/** Creates a file set of one loaded file. Resolves with its id. */
export async function createFileSet({ caller, namespace }: Workspace, fileId: string): Promise<string> {
  const json = { _name: 'Load', _namespaces: [namespace], _fileIds: [fileId] };
  const call = { query: { nsfilter: namespace }, json, expect: 201 };
  return (await caller.call<{ _id: string }>('POST', '/graphicssvc/api/v1/filesets', call)).body._id;
}

interface Orchestrator {
  id: string;
  _orchschedule?: { next_scheduled_time: string };
}

/** Creates an orchestrator with one step, which waits. @param more further fields */
export async function createOrchestrator({ caller, namespace }: Workspace, ms: number, more = {}) {
  const tasks = [{ _orchcomp: 'wait', _sequenceno: 1, _name: 'wait', _actualparams: { ms } }];
  const _name = `load ${randomBytes(6).toString('hex')}`;
  const json = { _name, _namespaces: [namespace], _params: { tasks }, ...more };
  return (await caller.call<Orchestrator>('POST', ORCHESTRATORS, { query: { nsfilter: namespace }, json })).body;
}

/** Runs an orchestrator. Resolves with the id of the run. */
export async function startRun({ caller, namespace }: Workspace, orchestrator: string): Promise<string> {
  const call = { query: { nsfilter: namespace } };
  return (await caller.call<{ id: string }>('POST', `${ORCHESTRATORS}/${orchestrator}/run`, call)).body.id;
}

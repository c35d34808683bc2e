import { request as send } from 'node:http';
import { FILES, RUNS } from '@dtplatform/stack/client';
import { createOrchestrator, createWorkspace, startRun } from '@dtplatform/bench/callers';
import { keepCalling, undoAll, type Fault, type Lab, type Undo } from '../fault.js';

const PASSPORT = '/passportsvc/api/v1';
const PUBLIC = [11, 20, 30, 40, 50, 60, 70, 80, 90];
const someNumber = (): number => Math.floor(Math.random() * 254) + 1;
/** A new address for each attempt. The gateway's own address is private, so passportsvc trusts its header. */
const someAddress = (): string =>
  `${PUBLIC[someNumber() % PUBLIC.length]}.${someNumber()}.${someNumber()}.${someNumber()}`;

/** Opens the sign-in page. @returns tries to sign in there */
async function openSignIn({ dev, signal }: Lab) {
  const url = new URL(`${PASSPORT}/oauth/authorize`, dev.baseUrl);
  const query = {
    response_type: 'code',
    client_id: dev.appId,
    redirect_uri: dev.redirectUri,
    scope: 'read',
    state: 'x',
  };
  url.search = new URLSearchParams(query).toString();
  const opened = await fetch(url, { redirect: 'manual', signal });
  const cookie = opened.headers.getSetCookie().map((line) => line.split(';')[0]!);
  const action = new URL(opened.headers.get('location')!, url);
  return async (username: string, address: string): Promise<void> => {
    const headers = { cookie: cookie.join('; '), 'x-forwarded-for': address };
    const body = new URLSearchParams({ username, password: 'a wrong guess' });
    await (await fetch(action, { method: 'POST', headers, body, signal })).text();
  };
}

/** From many addresses for many accounts, and from one that continues while it is throttled. */
export const passwordsAreGuessed: Fault = {
  what: 'Somebody guesses passwords',
  fires: { PasswordsAreGuessed: ['passportsvc'], SignInsAreTurnedAway: ['passportsvc'] },
  async make(lab) {
    const attempt = await openSignIn(lab);
    const guess = () => attempt(`guess-${someNumber()}${someNumber()}@example.com`, someAddress());
    const insist = () => attempt(lab.dev.admin.email, '11.1.1.1');
    return keepCalling(lab, [guess, guess, guess, insist], 50);
  },
};

interface Upload {
  path: string;
  query: Record<string, string>;
}

async function initiate({ user: { caller, namespace } }: Lab, _size: number): Promise<Upload> {
  const query = { uploadType: 'resumable', nsfilter: namespace };
  // No upload of these faults completes, so the checksum is never compared.
  const _uploadMeta = { _size, _checksum: `sha256:${'0'.repeat(64)}` };
  const json = { _name: `monitors-${Math.random()}`, _uploadMeta, _namespaces: [namespace] };
  const { body } = await caller.call<{ _id: string }>('POST', FILES, { query, json, expect: 201 });
  return { path: `${FILES}/${body._id}`, query };
}
const cancel = ({ user: { caller } }: Lab, { path, query }: Upload) =>
  caller.open('DELETE', path, { query }).catch(() => undefined);

const APPEND = { 'tus-resumable': '1.0.0', 'content-type': 'application/offset+octet-stream' };

export const uploadsCompete: Fault = {
  what: 'A client appends at a wrong offset',
  fires: { UploadsCompete: ['filesvc'] },
  async make(lab) {
    const upload = await initiate(lab, 100);
    const headers = { ...APPEND, 'upload-offset': '50' };
    const body = Buffer.alloc(10);
    const append = () => lab.user.caller.open('PATCH', upload.path, { query: upload.query, headers, body });
    const stopCalls = keepCalling(lab, [append]);
    return undoAll(() => cancel(lab, upload), stopCalls);
  },
};

/** One caller gets half of the upload memory: 16 parts of 8 MiB. The others wait. */
const SLOW_UPLOADS = 30;
const UPLOAD_BYTES = 64 * 2 ** 20;

export const uploadsAreSlow: Fault = {
  what: 'Many clients upload very slowly',
  fires: { UploadsWaitForMemory: ['filesvc'], RequestsWaitForMemory: ['filesvc'] },
  async make(lab) {
    const uploads: Upload[] = [];
    for (let n = 0; n < SLOW_UPLOADS; n += 1) uploads.push(await initiate(lab, UPLOAD_BYTES));
    const ended = new AbortController();
    const append = ({ path, query }: Upload) => dribble(lab, lab.user.caller.url(path, query), ended.signal);
    const stopCalls = keepCalling(
      lab,
      uploads.map((upload) => () => append(upload)),
    );
    return undoAll(
      async () => {
        for (const upload of uploads) await cancel(lab, upload);
      },
      stopCalls,
      () => ended.abort(),
    );
  },
};

/** Sends a kilobyte per second until the service responds or cuts the connection. */
function dribble({ user: { caller } }: Lab, url: URL, signal: AbortSignal): Promise<void> {
  const authorization = `Bearer ${caller.token}`;
  const headers = { ...APPEND, authorization, 'upload-offset': '0', 'content-length': UPLOAD_BYTES };
  const outgoing = send(url, { method: 'PATCH', headers, agent: false, signal });
  const writing = setInterval(() => outgoing.write(Buffer.alloc(1024)), 1000);
  outgoing.write(Buffer.alloc(1024));
  outgoing.on('error', () => undefined).on('response', () => outgoing.destroy());
  return new Promise((resolve) => outgoing.once('close', resolve)).then(() => clearInterval(writing));
}

const WORKSPACES = 7;
/** More than the 20 that may be queued in a namespace, plus those that the worker runs. */
const RUNS_OF_WORKSPACE = 24;
const RUN_MS = 120_000;

/** @returns a workspace with the maximum number of queued runs */
async function fillQueue({ user: { caller } }: Lab) {
  const workspace = { caller, namespace: await createWorkspace(caller, { _name: 'Queue' }) };
  const { id } = await createOrchestrator(workspace, RUN_MS);
  const query = { nsfilter: workspace.namespace };
  const runs: string[] = [];
  const start = async () => void runs.push(await startRun(workspace, id));
  for (let n = 0; n < RUNS_OF_WORKSPACE; n += 1) await start().catch(() => undefined);
  const cancelAll = async () => {
    for (const run of runs) await caller.open('DELETE', `${RUNS}/${run}`, { query }).catch(() => undefined);
  };
  return { start, cancelAll };
}

export const runsAreTooMany: Fault = {
  what: 'Clients start more runs than workers can run',
  fires: { RunsAreRefused: ['datasourcesvc'], RunsWait: ['datasourcesvc'], QueueGrows: ['datasourcesvc'] },
  async make(lab) {
    const filled: Awaited<ReturnType<typeof fillQueue>>[] = [];
    for (let n = 0; n < WORKSPACES; n += 1) filled.push(await fillQueue(lab));
    const stopCalls = keepCalling(lab, [filled[0]!.start]);
    const cancelRuns: Undo = () => Promise.all(filled.map(({ cancelAll }) => cancelAll()));
    return undoAll(cancelRuns, stopCalls);
  },
};

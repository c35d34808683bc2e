import { randomBytes } from 'node:crypto';
import { until, type DevJson } from '@dtplatform/stack';
import { FILES, FILESTORE, ITEMS, ORCHESTRATORS, PERMISSIONS, RUNS, signIn } from '@dtplatform/stack/client';
import { createActions, type Action } from '../load/actions.js';
import { createLedger } from '../load/ledger.js';
import type { LoadUser } from '../load/load-user.js';

const LARGE_BYTES = 8 * 2 ** 20;
const QUESTIONS = 10;
const SOURCES = 50;
const READINGS = 100;
const END = { timeoutMs: 60_000, everyMs: 100 };
/** Measured by itself as a run that is followed to its end: without waiting for it, the queue of the workspace fills up. */
const LEFT_OUT = ['startRun'];

type Calls = Pick<LoadUser, 'id' | 'caller' | 'namespace'>;

/** Who calls, how often at once. */
export interface Operation {
  name: string;
  callers: number;
  call: Action[1];
}

/** The main operations of all services, in an order in which each finds what it reads. */
export async function createOperations(dev: DevJson, user: LoadUser): Promise<Operation[]> {
  const shared = createActions(dev, user, createLedger(user)).filter(([name]) => !LEFT_OUT.includes(name));
  const many = [
    ...shared,
    ['signIn', async () => void (await signIn(dev, user.credentials))],
    ['checkTenPermissions', permissionChecks(user)],
    ...(await readingActions(user)),
    ['loadGraphicsFile', graphicsLoads(user)],
    ['runToEnd', await runsToEnd(user)],
  ] as Action[];
  const few = await largeFiles(user);
  return [
    ...many.map(([name, call]) => ({ name, call, callers: 8 })),
    ...few.map(([name, call]) => ({ name, call, callers: 2 })),
  ];
}

function permissionChecks({ id, caller, namespace }: Calls) {
  const json = Array.from({ length: QUESTIONS }, (_, n) => ({
    ...{ _user: { _type: 'user', _id: id }, _action: 'READ', _namespace: namespace },
    _irn: `itemsvc:nameduseritem:${n.toString(16).padStart(24, '0')}`,
  }));
  return async () => void (await caller.call('POST', `${PERMISSIONS}/check`, { json }));
}

/** Writes and reads readings of a telemetry collection. */
async function readingActions({ caller, namespace }: Calls): Promise<Action[]> {
  const query = { nsfilter: namespace };
  const item = { _name: 'Load', _shortName: unique(), _description: '', _namespaces: [namespace], _userType: 'load' };
  const json = [{ ...item, _itemClass: 'NamedTelemetryCollection' }];
  const { body } = await caller.call<{ _list: { _id: string }[] }>('POST', ITEMS, { query, json, expect: 201 });
  const rows = `${ITEMS}/${body._list[0]!._id}/relateditems`;
  const sources = Array.from({ length: SOURCES }, (_, n) => ({ _sourceId: `sensor-${n}` }));
  await caller.call('POST', rows, { query, json: sources, expect: 201 });
  const write = async () => {
    const at = Date.now();
    const readings = Array.from({ length: READINGS }, (_, n) => ({
      ...{ _ts: at - n * 1000, _tsMetadata: { _sourceId: `sensor-${n % SOURCES}` } },
      ...{ temperature: 20 + (n % 100) / 10, humidity: n % 90 },
    }));
    await caller.call('POST', `${rows}/readings`, { query, json: readings, expect: 201 });
  };
  const hourAgo = JSON.stringify({ '_tsMetadata._sourceId': 'sensor-7', _ts: { $gte: Date.now() - 3_600_000 } });
  const read = async () =>
    void (await caller.call('GET', `${rows}/readings`, { query: { ...query, query: hourAgo, _pageSize: 100 } }));
  const list = async () => void (await caller.call('GET', rows, { query }));
  return [
    ['put100Readings', write],
    ['getReadings', read],
    ['listRelatedItems', list],
  ];
}

/** Uploads a graphics file, has it loaded and waits until it is. */
function graphicsLoads({ caller, namespace }: Calls) {
  const query = { nsfilter: namespace };
  return async () => {
    const id = await upload({ caller, namespace }, randomBytes(32 * 1024), '#invgraphicsfile#');
    await caller.call('PUT', FILESTORE, { query, json: [{ _fileId: id }] });
    const path = `/graphicssvc/api/v1/filestore/${id}`;
    const isLoaded = async () => {
      const { body } = await caller.call<{ _status: string }>('GET', path, { query });
      if (['SKIPPED', 'ERROR'].includes(body._status)) throw new Error(`the load of file ${id} is ${body._status}`);
      return body._status === 'LOADED';
    };
    await until('a graphics file is loaded', isLoaded, END);
  };
}

/** Starts a run of one short step and waits until it is completed. */
async function runsToEnd({ caller, namespace }: Calls) {
  const query = { nsfilter: namespace };
  const tasks = [{ _orchcomp: 'wait', _sequenceno: 1, _name: 'wait', _actualparams: { ms: 10 } }];
  const json = { _name: 'Load', _namespaces: [namespace], _params: { tasks } };
  const { body: orchestrator } = await caller.call<{ id: string }>('POST', ORCHESTRATORS, { query, json });
  return async () => {
    const { body } = await caller.call<{ id: string }>('POST', `${ORCHESTRATORS}/${orchestrator.id}/run`, { query });
    const isCompleted = async () => {
      const [run] = (await caller.call<{ _status: string }[]>('GET', `${RUNS}/${body.id}`, { query })).body;
      if (run?._status === 'ERROR') throw new Error(`run ${body.id} is ERROR`);
      return run?._status === 'COMPLETED';
    };
    await until('a run is completed', isCompleted, END);
  };
}

async function largeFiles(user: Calls): Promise<Action[]> {
  const content = randomBytes(LARGE_BYTES);
  const id = await upload(user, content);
  const read = async () => {
    const path = `${FILES}/${id}/content`;
    const response = await user.caller.open('GET', path, { query: { nsfilter: user.namespace } });
    await response.arrayBuffer();
  };
  return [
    ['put8MiBFile', async () => void (await upload(user, content))],
    ['get8MiBFile', read],
  ];
}

async function upload({ caller, namespace }: Pick<Calls, 'caller' | 'namespace'>, content: Buffer, tags?: string) {
  const body = new FormData();
  body.set('_namespaces', namespace);
  if (tags !== undefined) body.set('_tags', tags);
  body.set('file', new Blob([Buffer.from(content)]), `${unique()}.bin`);
  const query = { nsfilter: namespace };
  const stored = await caller.call<{ _id: string }[]>('POST', FILES, { query, body, expect: 201 });
  return stored.body[0]!._id;
}

const unique = (): string => `sizing_${randomBytes(5).toString('hex')}`;

import { randomBytes } from 'node:crypto';
import {
  createTelemetryCollection,
  preparePermissionChecks,
  prepareRuns,
  writeReadings,
} from '@dtplatform/bench/counts';
import type { DevJson } from '@dtplatform/stack';
import { FILES, ITEMS, signIn } from '@dtplatform/stack/client';
import {
  type Action,
  createActions,
  createLedger,
  loadGraphics,
  type LoadUser,
  storeFile,
  type Workspace,
} from '@dtplatform/bench/callers';

const SMALL_BYTES = 10_000;
const LARGE_BYTES = 8 * 2 ** 20;
/** Measured as a run that is followed to its end: without that, the queue of the workspace fills up. */
const LEFT_OUT = ['startRun'];

/** The callers of an operation, and their number. */
export interface Operation {
  name: string;
  callers: number;
  call: Action[1];
}

/** The main operations of all services, ordered so that each finds the data it reads. */
export async function createOperations(dev: DevJson, user: LoadUser): Promise<Operation[]> {
  const shared = createActions(dev, user, createLedger(user)).filter(([name]) => !LEFT_OUT.includes(name));
  const many = [
    ...shared,
    ['signIn', async () => void (await signIn(dev, user.credentials))],
    ['checkTenPermissions', preparePermissionChecks(user)],
    ...(await readingActions(user)),
    ['loadGraphicsFile', async () => void (await loadGraphics(user, Buffer.alloc(SMALL_BYTES, randomBytes(8))))],
    ['runToEnd', await prepareRuns(user)],
  ] as Action[];
  const few = await largeFiles(user);
  return [
    ...many.map(([name, call]) => ({ name, call, callers: 8 })),
    ...few.map(([name, call]) => ({ name, call, callers: 2 })),
  ];
}

/** Writes and reads readings of a telemetry collection. */
async function readingActions(user: Workspace): Promise<Action[]> {
  const { caller, namespace } = user;
  const query = { nsfilter: namespace };
  const collection = await createTelemetryCollection(user);
  const rows = `${ITEMS}/${collection}/relateditems`;
  const hourAgo = JSON.stringify({ '_tsMetadata._sourceId': 'sensor-7', _ts: { $gte: Date.now() - 3_600_000 } });
  const read = async () =>
    void (await caller.call('GET', `${rows}/readings`, { query: { ...query, query: hourAgo, _pageSize: 100 } }));
  const list = async () => void (await caller.call('GET', rows, { query }));
  return [
    ['put100Readings', () => writeReadings(user, collection)],
    ['getReadings', read],
    ['listRelatedItems', list],
  ];
}

async function largeFiles(user: Workspace): Promise<Action[]> {
  const content = randomBytes(LARGE_BYTES);
  const id = await storeFile(user, content);
  const read = async () => {
    const path = `${FILES}/${id}/content`;
    const response = await user.caller.open('GET', path, { query: { nsfilter: user.namespace } });
    await response.arrayBuffer();
  };
  return [
    ['put8MiBFile', async () => void (await storeFile(user, content))],
    ['get8MiBFile', read],
  ];
}

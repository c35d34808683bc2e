import { clientCredentials, FILESTORE, ITEMS, METRICS, ORCHESTRATORS } from '@dtplatform/stack/client';
import { createOrchestrator, startRun, storeFile } from '@dtplatform/bench/callers';
import { inMongo, inRedis } from '../../tools/in-pod.js';
import { allBut, keepCalling, loadGrants, orUndo, stop, type Fault, type Lab } from '../fault.js';
import { collectionFails } from './collection-fails.js';

const ONE = '00000000000000000000';

/** Requests of a user whose permissions no service has cached. @param orchestrator of the other user */
function callsOfStranger({ stranger: { caller, namespace }, user, dev }: Lab, orchestrator = ONE) {
  const query = { nsfilter: namespace };
  const item = { _name: 'x', _shortName: 'x', _description: '', _namespaces: [namespace], _userType: 'x' };
  const json = [{ ...item, _itemClass: 'NamedUserCollection' }];
  const workspace = () => [{ _name: 'x', _shortName: `x_${Date.now().toString(36)}` }];
  return {
    filesvc: () => storeFile({ caller, namespace }, 'x'),
    itemsvc: () => caller.call('POST', ITEMS, { query, json, expect: 201 }),
    graphicssvc: () => caller.call('PUT', FILESTORE, { query, json: [{ _fileId: ONE }] }),
    datasourcesvc: () => startRun({ caller, namespace: user.namespace }, orchestrator),
    metricsvc: () => caller.call('GET', `${METRICS}/dtplatform.filesvc.FileCount`, { query: { namespace } }),
    passportsvc: () => caller.call('POST', '/passportsvc/api/v1/workspaces', { json: workspace(), expect: 201 }),
    tokens: () => clientCredentials(dev),
  };
}

/** The due time of a schedule is set back by two minutes, beyond the threshold. */
const SCHEDULED_MS_AGO = 125_000;

const setSchedule = (id: string, ageMs: number) =>
  `const time = Date.now() - ${ageMs};
await db('datasourcesvc').collection('orchestrators').updateOne(
  { _id: '${id}' }, { $set: { '_schedule.dueAt': time, '_schedule.tryAt': time } });`;

export const permissionsAreUnavailable: Fault = {
  what: 'objectmodelsvc is stopped',
  fires: {
    RequestsFail: allBut('objectmodelsvc'),
    UploadsFail: ['filesvc'],
    WritesFail: ['itemsvc'],
    LoadsAreRefused: ['graphicssvc'],
    RunsAreNotStarted: ['datasourcesvc'],
    MetricsAreNotRead: ['metricsvc'],
    SchedulesAreLate: ['datasourcesvc'],
  },
  async make(lab) {
    const { kubectl, user, stranger } = lab;
    const { id: orchestrator } = await createOrchestrator(user, 1);
    const hourly = { _class: 'SCHEDULED', _orchschedule: { runinterval: '1 * *' } };
    // Its owner's permissions are not cached by the worker.
    const { id: schedule } = await createOrchestrator(stranger, 1, hourly);
    const start = await stop(lab, 'deployment/objectmodelsvc');
    await orUndo(start, () => inMongo(kubectl, setSchedule(schedule, SCHEDULED_MS_AGO)));
    const stopCalls = keepCalling(lab, Object.values(callsOfStranger(lab, orchestrator)));
    return async () => {
      await stopCalls();
      await start();
      await inMongo(kubectl, setSchedule(schedule, 0)); // Otherwise the retry comes after half a minute.
      const query = { nsfilter: stranger.namespace };
      await stranger.caller.open('DELETE', `${ORCHESTRATORS}/${schedule}`, { query }).catch(() => undefined);
    };
  },
};

export const permissionsCannotBeRead = collectionFails(
  'A collection of objectmodelsvc fails',
  ['objectmodelsvc', 'permissions'],
  {
    fires: { GrantsAreNotLoaded: ['objectmodelsvc'], RequestsFail: ['objectmodelsvc'] },
    during: (lab) => Promise.resolve(keepCalling(lab, [() => loadGrants(lab)])),
  },
);

export const appsCannotBeRead = collectionFails('A collection of passportsvc fails', ['passportsvc', 'apps'], {
  fires: { TokensAreNotIssued: ['passportsvc'] },
  during: (lab) => Promise.resolve(keepCalling(lab, [callsOfStranger(lab).tokens])),
});

/** How long epochs are removed; the program must end by itself if the test is stopped. */
const EVICTION_SEC = 240;

/** Continuously removes epochs, like a Redis that evicts keys. */
export const epochsAreEvicted: Fault = {
  what: 'Redis evicts the epochs of callers',
  fires: { GrantsAreNotCached: ['objectmodelsvc'] },
  async make(lab) {
    const { caller, namespace } = lab.user;
    const evicting = inRedis(
      lab.kubectl,
      `for (const end = Date.now() + ${EVICTION_SEC * 1000}; Date.now() < end && !(await redis.get('monitors-test:end')); ) {
  const keys = await redis.keys('access:epoch:*');
  if (keys.length > 0) await redis.unlink(keys);
  await new Promise((next) => setTimeout(next, 20));
}
await redis.del('monitors-test:end');`,
    );
    evicting.catch(() => undefined); // Runs when the fault is undone.
    const list = () => caller.call('GET', ITEMS, { query: { nsfilter: namespace } });
    const stopCalls = keepCalling(lab, [list, list, list], 100);
    return async () => {
      await stopCalls();
      await inRedis(lab.kubectl, "await redis.set('monitors-test:end', '1', 'EX', 300);");
      await evicting;
    };
  },
};

import { type Client, waitForRun, WorkFailedError } from '@dtplatform/sdk';
import { createItem, type Item } from './items.js';
import type { StoredFile } from './files.js';

const SCRIPT = `
/** Counts the rooms by use. */
async function countRooms({ rooms }) {
  const uses = {};
  for (const { use } of rooms) uses[use] = (uses[use] ?? 0) + 1;
  console.log('counted', rooms.length, 'rooms');
  return uses;
}
`;

interface Given {
  files: Map<string, StoredFile>;
  equipment: Item;
  /** Input of the report. */
  rooms: { use: string }[];
}

/** A report that runs every five minutes, and an import that has succeeded once and failed once. */
export async function createJobs(demo: Client, { files, equipment, rooms }: Given, signal: AbortSignal): Promise<void> {
  const userType = 'report_script';
  await createItem(demo, 'Script', 'Room report', { _userType: userType, _version: { _userData: SCRIPT } });
  const step = (_sequenceno: number, _orchcomp: string, _name: string, _actualparams: Record<string, unknown>) => ({
    ...{ _sequenceno, _orchcomp, _name, _actualparams },
  });
  const fileIds = [files.get('harbour-tower.glb')!._id];
  const create = (_name: string, tasks: ReturnType<typeof step>[], more: object) =>
    demo.call('datasourcesvc.orchestrators.create', {
      body: { _name, _namespaces: [demo.namespace!], _userType: 'demo', _params: { tasks }, ...more },
    });
  const report = await create(
    'Building report',
    [
      step(1, 'load_graphics_files', 'Keep the model loaded', { fileIds }),
      step(2, 'wait', 'Wait for the model', { ms: 500 }),
      step(3, 'default_script_target', 'Count rooms', { userType, _scriptName: 'countRooms', rooms }),
    ],
    { _class: 'SCHEDULED', _orchschedule: { runinterval: '* 5 *' } },
  );
  const params = { fileId: files.get('equipment.jsonl')!._id, collectionId: equipment._id, format: 'jsonl' };
  const load = await create('Import of equipment', [step(1, 'import_file_items', 'Import rows', params)], {});
  const damaged = { _sequenceno: 1, params: { fileId: files.get('equipment-damaged.jsonl')!._id } };
  const runs = [
    await demo.call('datasourcesvc.orchestrators.run', { path: { id: report.id }, body: {} }),
    await demo.call('datasourcesvc.orchestrators.run', { path: { id: load.id }, body: {} }),
    await demo.call('datasourcesvc.orchestrators.run', { path: { id: load.id }, body: { _actualparams: [damaged] } }),
  ];
  const ended = await Promise.allSettled(runs.map(({ id }) => waitForRun(demo, id, { signal })));
  const failed = ended.filter((run) => run.status === 'rejected').map(({ reason }) => reason as unknown);
  if (failed.length !== 1 || !(failed[0] instanceof WorkFailedError))
    throw failed[0] ?? new Error('The import of a damaged file has succeeded.');
}

import { type Client, upload } from '@dtplatform/sdk';
import { boxGeometry } from '../../tour/input/box-geometry.js';
import { facadeImage } from '../../tour/input/facade-image.js';
import { pdfOf, planOf } from '../input/documents.js';
import { FLOORS, roomsCsv, roomsOf } from '../input/rooms.js';

/** Graphicssvc loads only files with this tag. */
const GRAPHICS_TAG = '#invgraphicsfile#';

type Content = string | Uint8Array<ArrayBuffer>;
interface Document {
  folder: string;
  name: string;
  /** One for each version. */
  versions: Content[];
  tags?: string[];
}

const EQUIPMENT = ['Air handling unit', 'Heat pump', 'Lift A', 'Lift B', 'Fire panel', 'Pump'];
const equipment = EQUIPMENT.map((name, at) => JSON.stringify({ name, floor: at % FLOORS.length, year: 2014 + at }));

const DOCUMENTS: Document[] = [
  ...FLOORS.map((floor) => ({
    ...{ folder: 'Plans', name: `floor-${floor}.svg`, tags: ['plan'] },
    versions: ([1, 2] as const).map((edition) => planOf(roomsOf(edition).filter((room) => room.floor === floor))),
  })),
  { folder: 'Photos', name: 'facade.png', versions: [new Uint8Array(facadeImage())], tags: ['photo'] },
  {
    ...{ folder: 'Reports', name: 'energy-2025.pdf', tags: ['report'] },
    versions: [
      pdfOf(['Energy report 2025', 'Heating: 412 MWh - draft']),
      pdfOf(['Energy report 2025', 'Heating: 398 MWh', 'Electricity: 521 MWh']),
    ],
  },
  {
    ...{ folder: 'Reports', name: 'fire-safety.pdf', tags: ['report'] },
    versions: [pdfOf(['Fire safety inspection', 'All exits are marked.', 'Next inspection: May 2027'])],
  },
  {
    ...{ folder: 'Reports', name: 'minutes.txt' },
    versions: ['1. Room 3.03: the sensor is silent.\n', '1. Room 3.03: the sensor is silent.\n2. Order a battery.\n'],
  },
  {
    ...{ folder: 'Data', name: 'rooms.csv', tags: ['rooms'] },
    versions: ([1, 2, 3] as const).map((edition) => roomsCsv(roomsOf(edition))),
  },
  { folder: 'Data', name: 'equipment.jsonl', versions: [`${equipment.join('\n')}\n`] },
  {
    ...{ folder: 'Data', name: 'equipment-damaged.jsonl' },
    versions: [`${equipment.slice(0, 3).join('\n')}\n{"name": "Chil\n`],
  },
  { folder: 'Data', name: 'limits.json', versions: [JSON.stringify({ co2: 1000, temperature: [19, 26] }, null, 2)] },
  {
    ...{ folder: 'Data', name: 'tariffs.csv' },
    versions: ['from,eur_per_kwh\n2025-01-01,0.31\n', 'from,eur_per_kwh\n2025-01-01,0.31\n2026-01-01,0.29\n'],
  },
  {
    ...{ folder: 'Models', name: 'harbour-tower.glb', tags: [GRAPHICS_TAG] },
    versions: [new Uint8Array(boxGeometry(FLOORS.length))],
  },
];

export interface StoredFile {
  _id: string;
  _tipId: string;
  _name: string;
}

/** Uploads the files in their folders, and loads the model for viewers. Returns the files by name. */
export async function createFiles(demo: Client, signal: AbortSignal): Promise<Map<string, StoredFile>> {
  const files = new Map<string, StoredFile>();
  const folders = new Map<string, string>();
  for (const name of new Set(DOCUMENTS.map(({ folder }) => folder))) folders.set(name, await createFolder(demo, name));
  const store = async ({ folder, name, versions, tags }: Document) => {
    const options = { name, tags, parents: [folders.get(folder)!], signal };
    for (const content of versions) files.set(name, (await upload(demo, { ...options, content })) as StoredFile);
  };
  // Each file's versions are in order; a few files at a time keep two cores busy.
  const waiting = [...DOCUMENTS];
  const storeNext = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await store(next);
  };
  await Promise.all([storeNext(), storeNext(), storeNext()]);
  const model = files.get('harbour-tower.glb')!._id;
  await demo.call('graphicssvc.filestore.load', { body: [{ _fileId: model }] });
  const fileset = { _name: 'Harbour Tower', _namespaces: [demo.namespace!], _fileIds: [model] };
  await demo.call('graphicssvc.filesets.create', { body: fileset });
  return files;
}

async function createFolder(demo: Client, _name: string): Promise<string> {
  const query = { _name, _namespaces: [demo.namespace!] };
  const folder = (await demo.call('filesvc.uploads.initiate', { query })) as unknown as StoredFile;
  return folder._id;
}

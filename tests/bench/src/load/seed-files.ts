import type { nameKeys, newFile } from '../../../../services/filesvc/src/files/placement.js';
import { argument } from './program.js';
import { seed } from './seed.js';

/** Writes files into filesvc's database as filesvc does (files/placement.ts). */
export interface SeedFiles {
  mongoUrl: string;
  database: string;
  namespace: string;
  files: number;
}

const AUTHOR = { id: 'bench', name: 'Bench' };

const { mongoUrl, database, namespace, files } = argument<SeedFiles>();
const program = new URL('../../../../services/filesvc/dist/files/placement.js', import.meta.url).href;
const filesvc = (await import(program)) as { newFile: typeof newFile; nameKeys: typeof nameKeys };

await seed({ mongoUrl, database, collection: 'files', count: files }, fileOf);

function fileOf(n: number) {
  const place = { name: `drawing-${String(n).padStart(7, '0')}.pdf`, namespaces: [namespace], parents: [] };
  const placement = { ...place, home: namespace, ancestors: [], nameKeys: filesvc.nameKeys(place, 'file') };
  const id = `${files.toString(16).padStart(12, '0')}${n.toString(16).padStart(12, '0')}`;
  const details = { status: 'UPLOAD_COMPLETED', tags: ['drawing'], author: AUTHOR } as const;
  return filesvc.newFile(id, placement, 'file', { ...details, tags: [...details.tags] });
}

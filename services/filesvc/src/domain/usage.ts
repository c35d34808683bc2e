import { GRAPHICS_TAG } from '@dtplatform/contracts';
import type { UsageRecorded } from '@dtplatform/contracts';
import type { File, FileVersion } from './file.js';

export type UsageChange = UsageRecorded['_changes'][number];

/** What a file with its versions adds to the metrics of its namespaces (contract: Metrics). Folders and files without content add nothing. */
export function usageOf(file: Pick<File, '_id' | '_tags'>, versions: FileVersion[]): UsageChange[] {
  if (versions.length === 0) return [];
  const metric = metricsOf(file);
  return [
    { _metric: metric('FileCount'), _dimensions: {}, _amount: 1 },
    ...versions.flatMap((version) => usageOfVersion(file, version)),
  ];
}

/** What one more version of a file adds. */
export function usageOfVersion(file: Pick<File, '_id' | '_tags'>, version: FileVersion): UsageChange[] {
  const metric = metricsOf(file);
  const ofFile = { file_id: file._id };
  return [
    { _metric: metric('FileVersionCount'), _dimensions: ofFile, _amount: 1 },
    {
      _metric: metric('FileVersionSize'),
      _dimensions: { ...ofFile, version: version._id },
      _aliases: { version: String(version._version) },
      _amount: version._fileSize,
    },
  ];
}

/** The same taken away. */
export const negated = (changes: UsageChange[]): UsageChange[] =>
  changes.map((change) => ({ ...change, _amount: -change._amount }));

/** Graphics files are counted apart. */
export const isGraphics = ({ _tags }: Pick<File, '_tags'>): boolean => _tags.includes(GRAPHICS_TAG);

const metricsOf = (file: Pick<File, '_tags'>) => (name: string) =>
  `dtplatform.filesvc.${name}${isGraphics(file) ? '.graphics' : ''}`;

import { GRAPHICS_TAG } from '@dtplatform/contracts';
import type { UsageRecorded } from '@dtplatform/contracts';
import type { File, ShownFile } from './file.js';

export type UsageChange = UsageRecorded['_changes'][number];
type Version = NonNullable<ShownFile['_fileVersion']>;

/**
 * What a file with its versions adds to the metrics of its namespaces (docs/contract.md, "Metrics of files"). Folders and
 * files without content add nothing.
 */
export function usageOf(file: Pick<File, '_id' | '_tags'>, versions: Version[]): UsageChange[] {
  if (versions.length === 0) return [];
  return [
    { _metric: metricOf(file, 'FileCount'), _dimensions: {}, _amount: 1 },
    ...versions.flatMap((version) => usageOfVersion(file, version)),
  ];
}

/** What one more version of a file adds. */
export function usageOfVersion(file: Pick<File, '_id' | '_tags'>, version: Version): UsageChange[] {
  const ofFile = { file_id: file._id };
  return [
    { _metric: metricOf(file, 'FileVersionCount'), _dimensions: ofFile, _amount: 1 },
    {
      _metric: metricOf(file, 'FileVersionSize'),
      _dimensions: { ...ofFile, version: version._id },
      _aliases: { version: String(version._version) },
      _amount: version._fileSize,
    },
  ];
}

export const negated = (changes: UsageChange[]): UsageChange[] =>
  changes.map((change) => ({ ...change, _amount: -change._amount }));

/** Graphics files have metrics of their own. */
export const isGraphics = ({ _tags }: Pick<File, '_tags'>): boolean => _tags.includes(GRAPHICS_TAG);

const metricOf = (file: Pick<File, '_tags'>, name: string) =>
  `dtplatform.filesvc.${name}${isGraphics(file) ? '.graphics' : ''}`;

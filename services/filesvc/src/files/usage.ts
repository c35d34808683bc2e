import { GRAPHICS_TAG } from '@dtplatform/contracts';
import type { UsageRecorded } from '@dtplatform/contracts';
import type { File, FileVersion } from './file.js';

export type UsageChange = UsageRecorded['_changes'][number];
type Version = Pick<FileVersion, '_id' | '_fileId' | '_version' | '_fileSize' | 'internal'>;
type Kind = Pick<File, '_id' | '_tags'>;

interface ChangeOfKind {
  usage: UsageChange[];
  /** @param versions some of the existing ones */
  recount: (versions: Version[]) => UsageChange[];
}

/** docs/metrics.md. Folders and files without content add nothing. */
export function usageOf(file: Kind, versions: Version[]): UsageChange[] {
  if (versions.length === 0) return [];
  return [fileCounted(file), ...versions.flatMap((version) => usageOfVersion(file, version))];
}

/**
 * The usage changes of a file and of some of its versions when it gains or loses the graphics tag. Undefined when it
 * does neither.
 */
export function changeOfKind(before: Kind, after: Kind): ChangeOfKind | undefined {
  if (isGraphics(before) === isGraphics(after)) return undefined;
  return {
    usage: [...negated([fileCounted(before)]), fileCounted(after)],
    recount: (versions) =>
      versions.flatMap((version) => [...negated(versionCounted(before, version)), ...versionCounted(after, version)]),
  };
}

export const usageOfVersion = (file: Kind, version: Version): UsageChange[] => [
  ...versionCounted(file, version),
  ...usageOfPreviews(version),
];

export const fileCounted = (file: Pick<File, '_tags'>): UsageChange => ({
  _metric: metricOf(file, 'FileCount'),
  _dimensions: {},
  _amount: 1,
});

function versionCounted(file: Kind, version: Version): UsageChange[] {
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

/** Independent of the file's tags. */
export function usageOfPreviews({ _id, _fileId, _version, internal: { previews = [] } }: Version): UsageChange[] {
  if (previews.length === 0) return [];
  return [
    {
      _metric: 'dtplatform.filesvc.PreviewImageFileSize',
      _dimensions: { file_id: _fileId, version: _id },
      _aliases: { version: String(_version) },
      _amount: previews.reduce((bytes, { size }) => bytes + size, 0),
    },
  ];
}

export const negated = (changes: UsageChange[]): UsageChange[] =>
  changes.map((change) => ({ ...change, _amount: -change._amount }));

const isGraphics = ({ _tags }: Pick<File, '_tags'>): boolean => _tags.includes(GRAPHICS_TAG);

const metricOf = (file: Pick<File, '_tags'>, name: string) =>
  `dtplatform.filesvc.${name}${isGraphics(file) ? '.graphics' : ''}`;

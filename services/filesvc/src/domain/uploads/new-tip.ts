import { withTip } from '../file.js';
import type { StoredFile, StoredVersion } from '../file.js';
import type { FileChange } from '../ports.js';
import { isGraphics, negated, usageOf, usageOfVersion } from '../usage.js';

/**
 * What a new version writes: the first one makes the file count, and tags that came with the upload replace the file's.
 * @param versions all versions of the file so far; needed only with tags
 */
export function newTip(
  file: StoredFile,
  version: StoredVersion,
  tags?: string[],
  versions: StoredVersion[] = [],
): FileChange {
  const tagged: StoredFile = { ...file, _tags: tags ?? file._tags };
  const changed = withTip(tagged, version);
  if (file._tipId === undefined) return { file: changed, version, usage: usageOf(changed, [version]) };
  if (isGraphics(tagged) === isGraphics(file)) {
    return { file: changed, version, usage: usageOfVersion(changed, version) };
  }
  const usage = [...negated(usageOf(file, versions)), ...usageOf(changed, [...versions, version])];
  return { file: changed, version, usage };
}

import { matchesPrecondition, touchedBy } from '@dtplatform/contracts';
import type { Author, Listing, Paging, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { errors } from '../errors.js';
import { showVersion } from '../files/file.js';
import type { File, FileVersion } from '../files/file.js';
import { negated, usageOfVersion } from '../files/usage.js';
import type { UsageChange } from '../files/usage.js';
import { previewsOfTip } from '../previews/preview.js';
import type { VersionStore } from './versions.store.js';

const noVersion = () => commonErrors.notFound({ message: 'The file has no such version.' });

export interface RemovedVersion {
  file: File;
  usage: UsageChange[];
}

export type Versions = ReturnType<typeof createVersions>;

/** docs/contract.md, "Versions of a file". */
export function createVersions({ versionStore }: { versionStore: VersionStore }) {
  /** @throws 404 */
  async function get(file: File, versionId: string): Promise<FileVersion> {
    const version = await versionStore.find(file._id, versionId);
    if (!version) throw noVersion();
    return version;
  }

  return {
    get,

    list: (file: File, paging: Paging): Promise<Listing<FileVersion>> => versionStore.list(file._id, paging),

    /**
     * The file with this version as its tip.
     * @throws 404
     */
    async fileAt(file: File, versionId: string): Promise<File> {
      return withTip(file, await get(file, versionId));
    },

    /**
     * The latest other version replaces a removed tip. Numbers are not reused.
     * @throws 404 when it is gone, 400 when it is the only one, 412
     */
    async remove({ _id }: File, versionId: string, author: Author, precondition: Precondition): Promise<void> {
      const decide = (file: File, version: FileVersion, latest: FileVersion | undefined): RemovedVersion => {
        if (!matchesPrecondition(file, precondition)) throw commonErrors.preconditionFailed();
        if (!latest) throw errors.lastVersion();
        const remaining = file._tipId === version._id ? withTipAgain(file, latest) : file;
        const { _uploadMeta, ...withoutUpload } = remaining;
        const isOfUpload = _uploadMeta?._uploadId === version._id;
        const _metadata = touchedBy(author, file._metadata);
        const changed = { ...(isOfUpload ? withoutUpload : remaining), _metadata };
        return { file: changed, usage: negated(usageOfVersion(file, version)) };
      };
      if (!(await versionStore.remove(_id, versionId, decide))) throw noVersion();
    },
  };
}

function withTip(file: File, version: FileVersion): File {
  const { previews: _made, ...content } = version.internal;
  const { tipSince: _former, ...internal } = file.internal;
  return {
    ...file,
    _tipId: version._id,
    _tipVersion: version._version,
    _fileVersion: showVersion(version),
    _previews: previewsOfTip(version),
    internal: { ...internal, content },
  };
}

/** The file's content changes now, although the version is old. */
function withTipAgain(file: File, latest: FileVersion): File {
  const changed = withTip(file, latest);
  return { ...changed, internal: { ...changed.internal, tipSince: Date.now() } };
}

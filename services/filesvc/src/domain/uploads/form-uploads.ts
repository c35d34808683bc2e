import type { Readable } from 'node:stream';
import type { Access } from '@dtplatform/permissions';
import { shown } from '../file.js';
import type { File, StoredFile, StoredVersion } from '../file.js';
import { ownNew, requireSomeWrite } from '../file-access.js';
import { createdBy } from '../metadata.js';
import { versionKey } from '../object-keys.js';
import { newFile } from '../placement.js';
import type { Placement, Placements } from '../placement.js';
import type { DraftStore, FileStore, Objects } from '../ports.js';
import { writeContent } from './content-writer.js';
import type { PartBuffers } from './part-buffers.js';
import { newTip } from './new-tip.js';
import { partBytesFor } from './upload.js';
import { whileNameMoves } from './while-name-moves.js';

/** Content that is durable and waits for its place. */
export interface Received {
  /** Of the draft; becomes the id of the version. */
  id: string;
  key: string;
  name: string;
  contentType: string;
  contentEncoding?: string;
  /** Bytes. */
  size: number;
}

export interface FormTarget {
  /** The call's `nsfilter`. */
  context: string;
  namespaces: string[];
  parents: string[];
  /** Undefined: an existing file keeps its own. */
  tags: string[] | undefined;
}

const TOUCH_EVERY_MS = 60_000;

export type FormUploads = ReturnType<typeof createFormUploads>;

/** Normal uploads: the content streams in first, then its place is decided (contract: Folders and files). */
export function createFormUploads(deps: {
  files: FileStore;
  drafts: DraftStore;
  objects: Objects;
  placements: Placements;
  buffers: PartBuffers;
  newId: () => string;
  maxFileBytes: number;
}) {
  const { files, drafts, objects, placements, buffers, newId, maxFileBytes } = deps;

  async function addFile(placement: Placement, received: Received, tags: string[] = [], access: Access) {
    const author = access.principal;
    const empty = newFile(newId(), placement, 'file', { status: 'CREATED', tags, author });
    const change = newTip(empty, versionOf(empty, received, access));
    await ownNew(access, change.file);
    await files.create(change);
    await placements.confirm(change.file);
    return change.file;
  }

  const addVersion = ({ _id }: StoredFile, received: Received, tags: string[] | undefined, access: Access) =>
    files.change(_id, (file, versions) => newTip(file, versionOf(file, received, access), tags, versions), {
      withVersions: tags !== undefined,
    });

  const decide = (target: FormTarget, name: string, access: Access) =>
    placements.decide({ ...target, name }, 'file', target.context, access);

  return {
    /** Refuses early what would be refused anyway. @throws 403 */
    admit: (context: string, access: Access) => requireSomeWrite(access, context),

    /** Decides where a file would go, without writing. @throws as `place` */
    decide,

    /**
     * Streams content to its object. No file knows of it yet: `place` or `discard` it.
     * @param expectedBytes an upper bound, where one is known
     */
    async receive(
      body: Readable,
      about: Pick<Received, 'name' | 'contentType' | 'contentEncoding'>,
      expectedBytes: number | undefined,
    ): Promise<Received> {
      const id = newId();
      const key = versionKey(id);
      await drafts.add({ _id: id, key });
      try {
        const size = await writeContent(
          { objects, buffers },
          {
            key,
            body,
            info: about,
            partBytes: partBytesFor(Math.min(expectedBytes ?? 0, maxFileBytes)),
            maxBytes: maxFileBytes,
            onMultipart: (multipartId) => drafts.setMultipart(id, multipartId),
            onPart: atMostEvery(TOUCH_EVERY_MS, () => drafts.touch(id)),
          },
        );
        return { ...about, id, key, size };
      } catch (error) {
        await drafts.discard(id).catch(() => undefined);
        throw error;
      }
    },

    discard: ({ id }: Received) => drafts.discard(id),

    /** Makes received content a new file or a new version. @throws 400 for a bad place, 403 without the permission */
    async place(received: Received, target: FormTarget, access: Access): Promise<File> {
      return whileNameMoves(async () => {
        const placement = await decide(target, received.name, access);
        const file = placement.existing
          ? await addVersion(placement.existing, received, target.tags, access)
          : await addFile(placement, received, target.tags, access);
        return file && shown(file);
      });
    },
  };
}

const versionOf = (file: StoredFile, received: Received, access: Access): StoredVersion => {
  const { id, size, key, contentType, contentEncoding } = received;
  return {
    _id: id,
    _fileId: file._id,
    _version: file._nextVersion ?? 1,
    _fileSize: size,
    _metadata: createdBy(access.principal),
    internal: { key, contentType, ...(contentEncoding ? { contentEncoding } : {}) },
  };
};

function atMostEvery(intervalMs: number, run: () => Promise<void>): () => Promise<void> {
  let last = Date.now();
  return async () => {
    if (Date.now() - last < intervalMs) return;
    last = Date.now();
    await run();
  };
}

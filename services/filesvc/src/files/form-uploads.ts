import type { Readable } from 'node:stream';
import type { Author } from '@dtplatform/contracts';
import type { Access } from '@dtplatform/permissions';
import type { Objects, SentParts } from '../content/objects.js';
import { errors } from '../errors.js';
import { maySourceBegin } from '../previews/source-type.js';
import { ownNew, requireSomeWrite } from './file-access.js';
import { newVersion, retryOnNameConflict } from './file-change.js';
import type { NewContent, Writing } from './file-change.js';
import { versionKey } from './file.js';
import type { File } from './file.js';
import type { DraftStore, FileStore } from './files.store.js';
import { isInSamePlace, newFile } from './placement.js';
import type { Placement, Placements } from './placement.js';

/** Durable content that is not part of a file yet. Its id is that of the draft. */
export interface Received extends NewContent {
  name: string;
}

export interface FormTarget {
  /** The `nsfilter` of the call. */
  context: string;
  namespaces: string[];
  parents: string[];
  /** Undefined: an existing file keeps its tags. */
  tags: string[] | undefined;
}

const TOUCH_EVERY_MS = 60_000;

interface Deps {
  fileStore: FileStore;
  draftStore: DraftStore;
  objects: Objects;
  placements: Placements;
  newId: () => string;
  maxFileBytes: number;
}

export type FormUploads = ReturnType<typeof createFormUploads>;

/** Normal uploads: the content streams in first, then its place is decided (docs/contract.md, "Folders and files"). */
export function createFormUploads(deps: Deps) {
  const { fileStore, draftStore, objects, placements, newId, maxFileBytes } = deps;

  async function addFile(
    placement: Placement,
    received: Received,
    tags: string[] = [],
    access: Access,
    writing: Writing,
  ) {
    const author = access.principal;
    const empty = newFile(newId(), placement, 'file', { status: 'CREATED', tags, author });
    const change = newVersion(empty, received, author);
    await ownNew(access, change.file);
    await fileStore.create(change, writing);
    return change.file;
  }

  const addVersion = (
    existing: File,
    received: Received,
    tags: string[] | undefined,
    access: Access,
    writing: Writing,
  ) => fileStore.change(existing._id, versionOf(existing, received, access.principal, tags), writing);

  const decide = (target: FormTarget, name: string, access: Access) =>
    placements.decide({ ...target, name }, 'file', target.context, access);

  return {
    /** Rejects a caller that may not upload anything, before the body is read. @throws 403 */
    admit: (context: string, access: Access) => requireSomeWrite(access, context),

    /** @throws 413 for content that is longer than a file may be */
    requireSize(bytes: number): void {
      if (bytes > maxFileBytes) throw tooLarge(maxFileBytes);
    },

    /** Decides where a file would go, without writing. @throws as `place` */
    decide,

    /**
     * Streams content to its object. It is not part of a file yet: `place` or `discard` it.
     * @param caller uploads of several callers take turns
     * @param expectedBytes the most bytes that can come, if known
     * @throws 413 when it is too large, 400 when it was cut off
     */
    async receive(
      body: Readable,
      about: Pick<Received, 'name' | 'contentType' | 'contentEncoding'>,
      caller: string,
      expectedBytes?: number,
    ): Promise<Received> {
      const id = newId();
      const key = versionKey(id);
      const { contentType, contentEncoding } = about;
      let mayBeDrawn = true;
      await draftStore.add({ _id: id, key });
      try {
        const size = await objects.putStream(key, body, {
          contentType,
          contentEncoding,
          caller,
          expectedBytes: expectedBytes && Math.min(expectedBytes, maxFileBytes),
          maxBytes: maxFileBytes,
          verify: (received) => {
            assertComplete(received, maxFileBytes);
            mayBeDrawn = mayBeSource(received);
          },
          onMultipart: (multipartId) => draftStore.setMultipart(id, multipartId),
          onPart: atMostEvery(TOUCH_EVERY_MS, () => draftStore.touch(id)),
        });
        return { ...about, id, key, size, mayBeDrawn };
      } catch (error) {
        await draftStore.discard(id).catch(() => undefined);
        throw error;
      }
    },

    discard: ({ id }: Received) => draftStore.discard(id),

    /**
     * Makes received content a new file or a new version.
     * @param decided for it before; decided again if it no longer holds @throws 400 for a bad place, 403 without the permission
     */
    async place(received: Received, target: FormTarget, decided: Placement, access: Access, writing: Writing) {
      let known: Placement | undefined = decided;
      return retryOnNameConflict(async () => {
        const placement = known ?? (await decide(target, received.name, access));
        known = undefined;
        return placement.existing
          ? addVersion(placement.existing, received, target.tags, access, writing)
          : addFile(placement, received, target.tags, access, writing);
      });
    },
  };
}

/** Content becomes a version of a file that is still where it was when that was decided. @throws 409 */
const versionOf = (existing: File, received: Received, author: Author, tags: string[] | undefined) => (file: File) => {
  if (!isInSamePlace(file, existing)) throw errors.folderMoved();
  return newVersion(file, received, author, tags);
};

/** Whether previews may be made of the content. Of content in several parts, only the last one is at hand. */
const mayBeSource = ({ rest, total }: SentParts): boolean => rest.length < total || maySourceBegin(rest);

function assertComplete({ end }: { end: string }, maxBytes: number): void {
  if (end === 'cut') throw errors.uploadCut();
  if (end === 'too-long') throw tooLarge(maxBytes);
}

const tooLarge = (maxBytes: number) => errors.fileTooLarge({ message: `The file has more than ${maxBytes} bytes.` });

function atMostEvery(intervalMs: number, run: () => Promise<void>): () => Promise<void> {
  let last = Date.now();
  return async () => {
    if (Date.now() - last < intervalMs) return;
    last = Date.now();
    await run();
  };
}

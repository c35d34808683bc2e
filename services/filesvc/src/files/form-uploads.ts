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

/** Durable content without a file. Its id is that of the draft. */
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

/** The content streams in before its place is decided (docs/contract.md, "Folders and files"). */
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
    /**
     * Runs before the body is read.
     * @throws 403 when the caller may not upload anything
     */
    admit: (context: string, access: Access) => requireSomeWrite(access, context),

    /** @throws 413 */
    requireSize(bytes: number): void {
      if (bytes > maxFileBytes) throw tooLarge(maxFileBytes);
    },

    /**
     * Does not write.
     * @throws like `place`
     */
    decide,

    /**
     * Streams content to its object; `place` or `discard` it afterwards.
     * @param caller uploads of several callers take turns
     * @param expectedBytes the maximum, if known
     * @throws 413 when it is too large, 400 when it is cut off
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
     * Creates a file or a version.
     * @param decided an earlier decision, repeated if it no longer holds
     * @throws 400 for a bad place, 403
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

/** @throws 409 when the file has moved since the decision */
const versionOf = (existing: File, received: Received, author: Author, tags: string[] | undefined) => (file: File) => {
  if (!isInSamePlace(file, existing)) throw errors.folderMoved();
  return newVersion(file, received, author, tags);
};

/** Whether the content may be previewable. Of several parts, only the last is in memory. */
const mayBeSource = ({ rest, total }: SentParts): boolean => rest.length < total || maySourceBegin(rest);

function assertComplete({ end }: { end: string }, maxBytes: number): void {
  if (end === 'cut') throw errors.uploadCut();
  if (end === 'too-long') throw tooLarge(maxBytes);
}

const tooLarge = (maxBytes: number) => errors.fileTooLarge({ message: `The file is larger than ${maxBytes} bytes.` });

function atMostEvery(intervalMs: number, run: () => Promise<void>): () => Promise<void> {
  let last = Date.now();
  return async () => {
    if (Date.now() - last < intervalMs) return;
    last = Date.now();
    await run();
  };
}

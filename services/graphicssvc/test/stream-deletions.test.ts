import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import type { StandInFile } from './file-stand-in.js';
import { FILESETS, FILESTORE } from './start-app.js';
import { MiB, useStreams } from './use-streams.js';

/** More than the operating system buffers for a client that does not read. */
const LARGE = 24 * MiB;
const NOT_FOUND = { type: 'error', status: 404, code: 'FILE_NOT_FOUND' };

describe('the stream of what was deleted', () => {
  const { test, client, fileSet, loaded, outcomes } = useStreams();

  /** Gives a file one more version, which is loaded, too. */
  async function addVersion(file: StandInFile, content = randomBytes(100)): Promise<void> {
    const authorization = test.olga;
    test.app.files.replace(file, content);
    await test.app.put({ authorization }, [{ _fileId: file.id }]).expect(200);
    await test.app.untilStatus({ authorization }, file.id, 'LOADED');
    await test.app.stored(file);
  }

  it('refuses a version that was deleted, although it is still in the store', async () => {
    const file = await loaded(1000);
    const { versionId, content } = file;
    await addVersion(file);
    const stream = await client();
    await stream.open(await fileSet([file]));
    for (let count = 0; count < 10; count++) {
      expect((await stream.read(file.id, { fileVersionId: versionId })).content.equals(content)).toBe(true);
    }
    // filesvc is asked now and then, not for each read.
    expect(test.app.files.askedVersions.filter((id) => id === versionId).length).toBeLessThan(10);

    test.app.files.removeVersion(file, versionId);
    await eventually(async () => {
      expect((await stream.read(file.id, { fileVersionId: versionId })).last).toMatchObject(NOT_FOUND);
    });
    expect(await test.app.stored({ id: file.id, versionId })).toBeDefined();
    const path = `${FILESTORE}/${file.id}?nsfilter=tower_1`;
    const authorization = test.olga;
    await test.app.api.get(`${path}&_fileVersionId=${versionId}`).set({ authorization }).expect(404);
    await test.app.api.get(path).set({ authorization }).expect(200);
    expect((await stream.read(file.id)).content.equals(file.content)).toBe(true);
  });

  it('refuses the version that was requested last, until another one is requested', async () => {
    const file = await loaded(1000);
    const { content } = file;
    await addVersion(file);
    const stream = await client();
    await stream.open(await fileSet([file]));
    test.app.files.removeTip(file, content);
    expect((await stream.read(file.id)).last).toMatchObject(NOT_FOUND);
    await test.app.put({ authorization: test.olga }, [{ _fileId: file.id }]).expect(200);
    expect((await stream.read(file.id)).content.equals(content)).toBe(true);
  });

  it('ends reads of versions and files that are deleted meanwhile, and no others', async () => {
    const [versioned, deleted, kept] = [await loaded(LARGE), await loaded(LARGE), await loaded(LARGE)];
    const { versionId } = versioned;
    await addVersion(versioned);
    const stream = await client();
    await stream.open(await fileSet([versioned, deleted, kept]));
    const ids = [
      stream.send({ type: 'read', fileId: versioned.id, fileVersionId: versionId }),
      stream.send({ type: 'read', fileId: deleted.id }),
      stream.send({ type: 'read', fileId: kept.id }),
    ];
    for (const id of ids) await stream.until(id, 'header');
    stream.socket.pause();
    const before = await outcomes('FILE_NOT_FOUND');
    test.app.files.removeVersion(versioned, versionId);
    test.app.files.remove(deleted.id);
    await eventually(async () => expect(await outcomes('FILE_NOT_FOUND')).toBe(before + 2), { timeoutMs: 20_000 });
    stream.socket.resume();
    const ends = await Promise.all(ids.map((id) => stream.until(id, 'end', 'error')));
    expect(ends).toMatchObject([NOT_FOUND, NOT_FOUND, { type: 'end' }]);
    expect(stream.received(ids[2]!).equals(kept.content)).toBe(true);
  });

  it('ends the reads through a file set that is deleted meanwhile, not those through another one', async () => {
    const file = await loaded(LARGE);
    const [removed, other] = [await fileSet([file]), await fileSet([file])];
    const stream = await client();
    const ids: number[] = [];
    for (const set of [removed, other]) {
      await stream.open(set);
      ids.push(stream.send({ type: 'read', fileId: file.id }));
      await stream.until(ids.at(-1), 'header');
    }
    stream.socket.pause();
    const before = await outcomes('FILE_NOT_FOUND');
    await test.app.api.delete(`${FILESETS}/${removed}?nsfilter=tower_1`).set({ authorization: test.olga }).expect(204);
    await eventually(async () => expect(await outcomes('FILE_NOT_FOUND')).toBe(before + 1), { timeoutMs: 20_000 });
    stream.socket.resume();
    const ends = await Promise.all(ids.map((id) => stream.until(id, 'end', 'error')));
    expect(ends).toMatchObject([NOT_FOUND, { type: 'end' }]);
    expect(stream.received(ids[1]!).equals(file.content)).toBe(true);
    expect(stream.problems).toEqual([]);
  });
});

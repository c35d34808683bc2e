import { randomBytes } from 'node:crypto';
import { cp, readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newFolder, newPlatform } from './platform.js';
import type { BackupFolder, Platform } from './platform.js';

describe('a backup beside older ones', () => {
  let platform: Platform;
  let folder: BackupFolder;
  let key: string;

  beforeAll(async () => {
    platform = newPlatform();
    await platform.bucket.ensureBucket();
    key = await platform.addVersion(Buffer.from('content'));
  });
  beforeEach(async () => {
    folder = await newFolder();
  });
  afterEach(() => folder.remove());
  afterAll(() => platform.stop());

  it('copies only new objects, and removes those that only older backups referenced', async () => {
    const passing = await platform.addVersion(randomBytes(1000));
    await folder.backup(platform);
    await setTime(passing, Date.now() - 10_000);
    await removeVersion(passing);
    const added = await platform.addVersion(randomBytes(1000));
    await nextSecond();
    expect(await folder.backup(platform, { keep: 2 })).toMatchObject({ objects: 2, newObjects: 1, removedBackups: 0 });
    const contents = (await folder.files('objects/versions')).filter((name) => !name.endsWith('.json'));
    expect(contents).toHaveLength(3);
    await nextSecond();
    expect(await folder.backup(platform, { keep: 2 })).toMatchObject({ objects: 2, newObjects: 0, removedBackups: 1 });
    const left = (await folder.files('objects/versions')).map((name) => `versions/${name}`);
    expect(left).toEqual([added, `${added}.json`, key, `${key}.json`].sort());
    await removeVersion(added);
  });

  it('keeps the objects of older backups on storage that rounds times down to two seconds', async () => {
    const passing = await platform.addVersion(Buffer.from('passing'));
    const { backup } = await folder.backup(platform);
    await copyAs(backup, '20000101T000000Z');
    const { startedAt } = JSON.parse(await readFile(fileOf(backup, 'manifest.json'), 'utf8')) as { startedAt: string };
    await setTime(passing, Math.floor(Date.parse(startedAt) / 2_000) * 2_000);
    await removeVersion(passing);
    await nextSecond();
    expect(await folder.backup(platform, { keep: 2 })).toMatchObject({ objects: 1, removedBackups: 1 });
    const left = (await folder.files('objects/versions')).map((name) => `versions/${name}`);
    expect(left).toEqual([passing, `${passing}.json`, key, `${key}.json`].sort());
  });

  it('is complete, and removes nothing, if the manifest of the oldest one to keep is damaged', async () => {
    const { backup } = await folder.backup(platform);
    for (const name of ['20000101T000000Z', '20010101T000000Z']) await copyAs(backup, name);
    await writeFile(fileOf('20010101T000000Z', 'manifest.json'), '{');
    await nextSecond();
    expect(await folder.backup(platform, { keep: 3 })).toMatchObject({ objects: 1, removedBackups: 0 });
    expect(folder.lines.at(-1)).toMatch(
      /^WARNING: older backups are kept: .*20010101T000000Z.manifest\.json is damaged/,
    );
    expect(await folder.files('backups')).toHaveLength(4);
    await nextSecond();
    expect(await folder.backup(platform, { keep: 2 })).toMatchObject({ removedBackups: 3 });
  });

  const fileOf = (backup: string, name: string) => path.join(folder.root, 'backups', backup, name);
  const copyAs = (backup: string, name: string) => cp(fileOf(backup, '.'), fileOf(name, '.'), { recursive: true });
  const removeVersion = (object: string) =>
    platform.documents('filesvc', 'file_versions').deleteOne({ _id: object.slice('versions/'.length) });
  const setTime = (object: string, ms: number) =>
    utimes(path.join(folder.root, 'objects', `${object}.json`), ms / 1000, ms / 1000);
});

/** Backups are named by the second. */
async function nextSecond(): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  while (Math.floor(Date.now() / 1000) === now) await new Promise((resolve) => setTimeout(resolve, 50));
}

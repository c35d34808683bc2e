import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Rejected } from '../failures.js';
import { ifThere, PRIVATE_FOLDER, readJson, syncFolder, writeJson } from './files.js';
import { type Manifest, parseManifest } from './manifest.js';

const MANIFEST = 'manifest.json';
const NAME = /^\d{8}T\d{6}Z$/;
const UNFINISHED = '.unfinished';

/**
 * Where backups are kept:
 *
 *     backups/<time>/          dumps, list of objects, and manifest.json, which is written last
 *     objects/<key>            content that one or more of them name
 *     objects/<key>.json       its hash, size and type; an object without it is not complete
 *
 * A backup is written to `<time>.unfinished` and renamed at the end.
 */
export function openFolder(root: string) {
  const backups = path.join(root, 'backups');
  const folderOf = (name: string) => path.join(backups, name);

  const folder = {
    objects: path.join(root, 'objects'),
    folderOf,

    async prepare(): Promise<void> {
      for (const one of [backups, path.join(root, 'objects/versions'), path.join(root, 'objects/previews')])
        await mkdir(one, { recursive: true, mode: PRIVATE_FOLDER });
    },

    /** Names of complete backups, oldest first. */
    async names(): Promise<string[]> {
      const entries = (await ifThere(readdir(backups))) ?? [];
      return entries.filter((name) => NAME.test(name)).sort();
    },

    /** @throws Rejected if there is no such backup, or none at all */
    async find(name?: string): Promise<{ name: string; manifest: Manifest }> {
      const names = await folder.names();
      const found = name ?? names.at(-1);
      if (found === undefined) throw new Rejected(`${root} holds no backup`);
      if (!names.includes(found))
        throw new Rejected(`${root} holds no backup ${found}; it holds ${names.join(', ') || 'none'}`);
      return { name: found, manifest: await folder.manifest(found) };
    },

    async manifest(name: string): Promise<Manifest> {
      const file = path.join(folderOf(name), MANIFEST);
      return parseManifest(await readJson(file), file);
    },

    /** Removes the remains of interrupted backups and creates a folder for a new one. */
    async begin(startedAt: Date): Promise<{ name: string; dir: string }> {
      for (const name of (await readdir(backups)).filter((one) => one.endsWith(UNFINISHED)))
        await rm(folderOf(name), { recursive: true });
      const name = startedAt.toISOString().replaceAll(/[-:]|\.\d+/g, '');
      if ((await folder.names()).includes(name)) throw new Error(`there is a backup ${name} already`);
      const dir = folderOf(`${name}${UNFINISHED}`);
      await mkdir(dir, { mode: PRIVATE_FOLDER });
      return { name, dir };
    },

    /** Publishes the folder as a backup. */
    async complete(name: string, manifest: Manifest): Promise<void> {
      const dir = folderOf(`${name}${UNFINISHED}`);
      await writeJson(path.join(dir, MANIFEST), manifest);
      await syncFolder(dir);
      await rename(dir, folderOf(name));
      await syncFolder(backups);
    },

    remove: (name: string) => rm(folderOf(name), { recursive: true }),
  };
  return folder;
}

export type Folder = ReturnType<typeof openFolder>;

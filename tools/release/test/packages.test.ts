import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const REPOSITORY = 'https://example.com/twins/dtplatform';
const repoRoot = path.resolve(import.meta.dirname, '../../..');

describe('a client package, prepared for the registry', () => {
  let root: string;
  const folderOf = (name: string) => path.join(root, 'packages', name);

  beforeAll(() => {
    root = mkdtempSync(path.join(tmpdir(), 'dtplatform-release-'));
    for (const name of ['sdk', 'cli'])
      cpSync(path.join(repoRoot, 'packages', name), folderOf(name), {
        recursive: true,
        filter: (file) => !file.includes('node_modules/'),
      });
    execFileSync(process.execPath, [path.join(repoRoot, 'tools/release/prepare-packages.mjs'), REPOSITORY, root]);
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it.each(['sdk', 'cli'])('%s names its repository, and links to it', (name) => {
    const manifest = JSON.parse(readFileSync(path.join(folderOf(name), 'package.json'), 'utf8')) as object;
    expect(manifest).toMatchObject({
      repository: { url: `git+${REPOSITORY}.git`, directory: `packages/${name}` },
      homepage: `${REPOSITORY}/tree/main/packages/${name}#readme`,
      bugs: `${REPOSITORY}/issues`,
    });
    const readme = readFileSync(path.join(folderOf(name), 'README.md'), 'utf8');
    expect(readme).toContain(`](${REPOSITORY}/blob/main/README.md)`);
    expect(readme).not.toMatch(/\]\(\./);
  });

  it.each(['sdk', 'cli'])('%s can be published', (name) => {
    const command = ['publish', '--dry-run', '--json', '--ignore-scripts'];
    const report = execFileSync('npm', command, {
      cwd: folderOf(name),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    interface Published {
      files: { path: string }[];
    }
    // Newer versions of npm report by package.
    const published = JSON.parse(report) as Published | Record<string, Published>;
    const { files } = 'files' in published ? (published as Published) : Object.values(published)[0]!;
    expect(files.map((file) => file.path)).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
  });
});

import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { cached } from '../src/backends/cache.js';
import { tempDir } from './fixtures/temp-dir.js';

const writing = (content: string) => (dir: string) => writeFile(path.join(dir, 'program'), content);
const neverBuilt = () => Promise.reject(new Error('built again'));

describe('the cache of packages', () => {
  it('builds a package once', async () => {
    const cacheDir = await tempDir();
    const dir = await cached(cacheDir, 'p-1', writing('first'));
    expect(await cached(cacheDir, 'p-1', neverBuilt)).toBe(dir);
    expect(await readFile(path.join(dir, 'program'), 'utf8')).toBe('first');
  });

  it('keeps one complete result of concurrent builds', async () => {
    const cacheDir = await tempDir();
    const dirs = await Promise.all(['a', 'b', 'c'].map((content) => cached(cacheDir, 'p-1', writing(content))));
    expect(new Set(dirs).size).toBe(1);
    expect(await readdir(cacheDir)).toEqual(['p-1']);
    expect(await readFile(path.join(dirs[0]!, 'program'), 'utf8')).toMatch(/^[abc]$/);
  });

  it('keeps nothing from a failed build and removes the drafts of killed ones', async () => {
    const cacheDir = await tempDir();
    const draft = path.join(cacheDir, 'tmp-killed');
    await mkdir(draft);
    await utimes(draft, 0, 0);
    await expect(cached(cacheDir, 'p-1', neverBuilt)).rejects.toThrow('built again');
    expect(await readdir(cacheDir)).toEqual([]);
  });
});

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { installPythonTools } from '@dtplatform/testing';
import { enter, openWorkspace, type Person } from './support/people.js';
import { uploadsOf } from './support/uploads.js';

const MIB = 1024 * 1024;
const MINUTES = 60_000;
const fileHere = (name: string) => fileURLToPath(new URL(`tuspy/${name}`, import.meta.url));

/** Resumable uploads with the tus client for Python. */
describe('resumable upload with tuspy', () => {
  let python: Awaited<ReturnType<typeof installPythonTools>>;
  let owner: Person;
  let uploads: ReturnType<typeof uploadsOf>;
  let dir: string;

  beforeAll(async () => {
    python = await installPythonTools('tus-tools', 'tuspy', fileHere('requirements.txt'));
    owner = await enter();
    uploads = uploadsOf(owner, { nsfilter: await openWorkspace(owner) });
    dir = await mkdtemp(path.join(tmpdir(), 'dtplatform-tuspy-'));
  }, 3 * MINUTES);
  afterAll(() => rm(dir, { recursive: true, force: true }));

  const begin = async (size: number) => {
    const content = randomBytes(size);
    const file = path.join(dir, randomBytes(4).toString('hex'));
    await writeFile(file, content);
    const { id, url } = await uploads.initiate(content);
    /** Runs one client. @returns what it printed */
    const upload = async (chunkSize: number, ...stopAt: number[]) => {
      const finished = await python([
        fileHere('upload.py'),
        url,
        owner.token,
        file,
        ...[chunkSize, ...stopAt].map(String),
      ]);
      expect(finished).toMatchObject({ code: 0 });
      return Number(finished.output);
    };
    return { id, content, upload };
  };

  it.each([
    ['in a single PATCH', 20 * MIB + 3],
    ['in parts of odd size', 6 * MIB + 1],
    ['in small parts', 2_500_000],
  ])('stores a file %s', async (_how, chunkSize) => {
    const { id, content, upload } = await begin(13 * MIB + 7);
    expect(await upload(chunkSize)).toBe(content.length);
    await uploads.expectStored(id, content);
  });

  it('continues with another client where one stopped', async () => {
    const { id, content, upload } = await begin(13 * MIB + 7);
    expect(await upload(6 * MIB, 6 * MIB)).toBe(6 * MIB);
    expect(await uploads.offset(id)).toBe(6 * MIB);
    expect(await upload(5 * MIB)).toBe(content.length);
    await uploads.expectStored(id, content);
  });
});

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const repository = path.resolve(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(path.join(repository, file), 'utf8');

describe('the check of an image', () => {
  let folder: string;
  beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), 'dtplatform-architectures-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const AMD64 = 0x3e;
  const ARM64 = 0xb7;
  /** The start of an ELF header up to `e_machine`: 64 bits, little-endian, a shared object. */
  const header = (machine: number) =>
    Buffer.from([...Buffer.from('\x7fELF'), 2, 1, 1, ...Array(9).fill(0), 3, 0, machine, 0]);
  const write = (file: string, content: Buffer | string) => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), content);
  };
  const check = (architecture: string) =>
    spawnSync(process.execPath, [path.join(repository, 'docker/check-architecture.mjs'), architecture, folder], {
      encoding: 'utf8',
    });

  test('accepts native files for its architecture, and files that are not native', () => {
    write('node_modules/sharp/sharp.node', header(ARM64));
    write('node_modules/sharp/index.js', 'export {};\n');
    write('empty', '');
    expect(check('arm64')).toMatchObject({ status: 0, stdout: expect.stringContaining('All 1 native files') });
  });

  test.each([
    ['arm64', AMD64, ARM64],
    ['amd64', ARM64, AMD64],
  ])('names those that %s cannot load', (architecture, wrong, right) => {
    write('node_modules/one/one.node', header(right));
    write('node_modules/two/lib/libtwo.so.1.2', header(wrong));
    const { status, stderr } = check(architecture);
    expect(status).toBe(1);
    expect(stderr).toBe(`Not for ${architecture}:\n${path.join(folder, 'node_modules/two/lib/libtwo.so.1.2')}\n`);
  });

  test('fails if the builder does not set the architecture', () => {
    expect(check('')).toMatchObject({ status: 1, stderr: expect.stringContaining('must be amd64 or arm64') });
  });
});

test('no stage of an image runs a program of another architecture', () => {
  const [, ...stages] = read('docker/Dockerfile').split(/^FROM /m);
  const native = /^(--platform=\$BUILDPLATFORM|build AS) /;
  expect(stages.length).toBeGreaterThan(2);
  expect(stages.filter((stage) => /^RUN /m.test(stage) && !native.test(stage))).toEqual([]);
});

test('releases have images for both architectures', () => {
  expect(read('.github/workflows/release.yml')).toContain('platforms: linux/amd64,linux/arm64\n');
});

interface Locked {
  dev?: true;
  cpu?: string | string[];
  os?: string | string[];
  libc?: string | string[];
}

test('native packages in images exist for both architectures', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
  const all = Object.entries(packages)
    .filter(
      ([, { dev, cpu, os, libc }]) =>
        !dev && isFor(cpu, 'x64') && isFor(os, 'linux') && isFor(libc ?? 'glibc', 'glibc'),
    )
    .map(([name]) => name);
  expect(all.length).toBeGreaterThan(2);
  expect(all.filter((name) => !(name.replace('x64', 'arm64') in packages))).toEqual([]);
});

const isFor = (values: string | string[] | undefined, value: string) => [values].flat().includes(value);

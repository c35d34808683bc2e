import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach } from '@jest/globals';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

/** The folder of a machine that has only these programs; each runs a line of shell. Removed after the test. */
export async function machineWith(programs: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'dtplatform-machine-'));
  folders.push(folder);
  for (const [name, line] of Object.entries(programs)) {
    await writeFile(path.join(folder, name), `#!/bin/sh\n${line}\n`);
    await chmod(path.join(folder, name), 0o755);
  }
  return folder;
}

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { commandLine, identify, isAlive, type ProcessIdentity } from './identity.js';
import { signalGroup } from './tether.js';
import { until } from './until.js';

interface ProcessRecord extends ProcessIdentity {
  name: string;
  command: string;
}

const runDir = (stateDir: string) => path.join(stateDir, 'run');
const recordFile = (stateDir: string, name: string) => path.join(runDir(stateDir), `${name}.json`);

/** Records a process as soon as it has started: we may be killed at any moment. */
export function remember(stateDir: string, begun: { name: string; command: string; pid: number }): void {
  const identity = identify(begun.pid);
  if (identity === undefined) return;
  mkdirSync(runDir(stateDir), { recursive: true });
  writeFileSync(recordFile(stateDir, begun.name), JSON.stringify({ ...begun, ...identity } satisfies ProcessRecord));
}

export function forget(stateDir: string, name: string): void {
  rmSync(recordFile(stateDir, name), { force: true });
}

/**
 * Stops processes left over from an earlier run on the same state: only those whose id, start time and command line
 * match the record. Returns their names.
 */
export async function endLeftovers(stateDir: string): Promise<string[]> {
  const files = await readdir(runDir(stateDir)).catch(() => []);
  const ended = await Promise.all(files.map((file) => endLeftover(path.join(runDir(stateDir), file))));
  return ended.filter((name) => name !== undefined);
}

async function endLeftover(file: string): Promise<string | undefined> {
  const record = readRecord(file);
  const ours = record !== undefined && isAlive(record) && commandLine(record.pid)?.includes(record.command);
  if (ours) {
    signalGroup(record.pid, 'SIGTERM');
    const gone = () => !isAlive(record);
    await until(record.name, gone, { timeoutMs: 10_000 }).catch(() => signalGroup(record.pid, 'SIGKILL'));
    await until(`the end of ${record.name} (pid ${record.pid})`, gone, { timeoutMs: 10_000 });
  }
  rmSync(file, { force: true });
  return ours ? record.name : undefined;
}

function readRecord(file: string): ProcessRecord | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProcessRecord;
  } catch {
    return undefined; // half written when its writer was killed
  }
}

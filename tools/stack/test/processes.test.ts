import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { identify } from '../src/processes/identity.js';
import { endLeftovers } from '../src/processes/leftovers.js';
import { startLongRunning } from '../src/processes/long-running.js';
import { until } from '../src/processes/until.js';
import { runCommand } from '../src/processes/run-command.js';
import { noProcessesWith, processesWith } from './fixtures/processes.js';
import { tempDir } from './fixtures/temp-dir.js';

describe('a long-running process', () => {
  it('logs to its file and reports how it ended', async () => {
    const stateDir = await tempDir();
    const script = 'echo first; echo second >&2; exit 3';
    const running = await startLongRunning({ name: 'p', command: 'sh', args: ['-c', script], stateDir });
    expect(await running.exited).toBe('exit code 3');
    expect(await running.lastLines(1)).toBe('second');
    expect(await running.lastLines(9)).toBe('first\nsecond');
    expect(await readdir(path.join(stateDir, 'run')).catch(() => [])).toEqual([]);
  });

  it('is killed with all its children after the grace period when it ignores SIGTERM', async () => {
    const stateDir = await tempDir();
    const deaf = `trap '' TERM; sh -c 'sleep 1000' ${stateDir} & echo deaf; while :; do sleep 1; done`;
    const running = await startLongRunning({ name: 'p', command: 'sh', args: ['-c', deaf], stateDir, graceMs: 100 });
    const isDeaf = async () => (await running.lastLines(1)) === 'deaf';
    await until('the trap', isDeaf, { timeoutMs: 10_000 });
    expect(processesWith(stateDir)).not.toEqual([]);
    await running.stop();
    expect(await running.exited).toBe('SIGKILL');
    await noProcessesWith(stateDir);
  });
});

describe('leftovers of an earlier start', () => {
  const record = async (stateDir: string, content: unknown) => {
    await mkdir(path.join(stateDir, 'run'), { recursive: true });
    await writeFile(path.join(stateDir, 'run', 'p.json'), JSON.stringify(content));
  };
  const sleeper = () => spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });

  it('are stopped', async () => {
    const stateDir = await tempDir();
    const child = sleeper();
    await record(stateDir, { name: 'p', command: 'sleep', ...identify(child.pid!) });
    const exit = once(child, 'exit');
    expect(await endLeftovers(stateDir)).toEqual(['p']);
    expect(await exit).toEqual([null, 'SIGTERM']);
    expect(await endLeftovers(stateDir)).toEqual([]);
  });

  it.each([
    ['start time', { startedAt: '1' }],
    ['command line', { command: 'mongod' }],
  ])('are left alone when the %s differs, because another process may have reused the id', async (_what, other) => {
    const stateDir = await tempDir();
    const child = sleeper();
    await record(stateDir, { name: 'p', command: 'sleep', ...identify(child.pid!), ...other });
    expect(await endLeftovers(stateDir)).toEqual([]);
    expect(child.exitCode ?? child.signalCode).toBeNull();
    expect(await readdir(path.join(stateDir, 'run'))).toEqual([]);
    child.kill();
    await once(child, 'exit');
  });

  it('are ignored when the record is not readable', async () => {
    const stateDir = await tempDir();
    await record(stateDir, '');
    await writeFile(path.join(stateDir, 'run', 'q.json'), '{"pid":');
    expect(await endLeftovers(stateDir)).toEqual([]);
  });
});

describe('a command', () => {
  it('returns its output, and its last line as the reason when it fails', async () => {
    expect(await runCommand('sh', ['-c', 'echo out; echo err >&2'], {})).toMatch(/out/);
    await expect(runCommand('sh', ['-c', 'echo no network; exit 1'], {})).rejects.toThrow('no network');
  });

  it('is killed with its children on abort and on timeout', async () => {
    const mark = await tempDir();
    const script = `sleep 1000 & echo ${mark}; wait`;
    const interrupted = new AbortController();
    const onLine = () => interrupted.abort(new Error('Ctrl-C'));
    await expect(runCommand('sh', ['-c', script], { onLine, signal: interrupted.signal })).rejects.toThrow('Ctrl-C');
    await expect(runCommand('sh', ['-c', script], { timeoutMs: 100 })).rejects.toThrow('no answer within 100 ms');
    await noProcessesWith(mark);
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';

const program = new URL('./fixtures/process.ts', import.meta.url).pathname;
const hooks = new URL('./fixtures/register.mjs', import.meta.url).pathname;

interface Line {
  level: string;
  msg: string;
  reason?: string;
  step?: string;
  err?: { message: string };
}

/** Runs the fixture; `until` is the message after which the signals are sent, one after the other. */
async function run(env: Record<string, string>, signals: NodeJS.Signals[] = [], until = 'started') {
  const args = ['--conditions=source', '--no-warnings', '--import', hooks, program];
  const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, ...env } });
  const stderr = text(child.stderr);
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const had = stdout.includes(`"${until}"`);
    stdout += chunk.toString();
    if (!had && stdout.includes(`"${until}"`)) for (const signal of signals) child.kill(signal);
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  const lines = stdout.trim().split('\n').filter(Boolean);
  return { code, signal, stderr: await stderr, log: lines.map((line) => JSON.parse(line) as Line) };
}
const messages = (log: Line[]) => log.map(({ msg }) => msg);

describe('a process', () => {
  it.each<NodeJS.Signals>(['SIGTERM', 'SIGINT'])('stops in the reverse order on %s and ends with 0', async (signal) => {
    const { code, log } = await run({ BEHAVIOUR: 'serve' }, [signal]);
    expect(code).toBe(0);
    expect(messages(log)).toEqual(['started', 'stopping', 'second has ended', 'first has ended', 'stopped']);
    expect(log[1]!.reason).toBe(signal);
  });

  it('stops once, though both signals come', async () => {
    const { code, log } = await run({ BEHAVIOUR: 'serve' }, ['SIGTERM', 'SIGINT']);
    expect(code).toBe(0);
    expect(messages(log).filter((message) => message === 'first has ended')).toHaveLength(1);
  });

  it('ends with 1 and one line for each setting that is not valid, before anything begins', async () => {
    const { code, log, stderr } = await run({ SHUTDOWN_GRACE_MS: 'secret-value' });
    expect(code).toBe(1);
    expect(log).toEqual([]);
    expect(stderr.trim().split('\n')).toEqual([
      'fixture: The configuration is not valid:',
      expect.stringMatching(/^ {2}SHUTDOWN_GRACE_MS: /),
      '  BEHAVIOUR: is required',
    ]);
    expect(stderr).not.toContain('secret-value');
  });

  it('ends with 1 when its start fails, after it ended what was begun', async () => {
    const { code, log } = await run({ BEHAVIOUR: 'fail' });
    expect(code).toBe(1);
    expect(log[0]).toMatchObject({ level: 'fatal', msg: 'the start failed', err: { message: 'the port is taken' } });
    expect(messages(log).slice(-3)).toEqual(['second has ended', 'first has ended', 'stopped']);
  });

  it('ends with 1 after an error that nobody caught, in order', async () => {
    const { code, log } = await run({ BEHAVIOUR: 'throw-later' });
    expect(code).toBe(1);
    expect(log.find(({ level }) => level === 'fatal')).toMatchObject({ err: { message: 'unexpected' } });
    expect(messages(log).at(-1)).toBe('stopped');
  });

  it('goes on after a rejection that nobody handled, and says so', async () => {
    const { code, log } = await run({ BEHAVIOUR: 'reject-later' }, ['SIGTERM'], 'unhandled rejection');
    expect(code).toBe(0);
    expect(log.find(({ level }) => level === 'error')).toMatchObject({ err: { message: 'forgotten' } });
  });

  it('can be stopped while it still starts', async () => {
    const { code, log } = await run({ BEHAVIOUR: 'start-for-ever' }, ['SIGTERM']);
    expect(code).toBe(0);
    expect(messages(log).at(-1)).toBe('stopped');
  });

  it('ends with 1 when the signal kept it from what its start was to do', async () => {
    const { code, log } = await run({ BEHAVIOUR: 'interrupt' }, ['SIGTERM']);
    expect(code).toBe(1);
    expect(log.find(({ level }) => level === 'fatal')).toMatchObject({ err: { message: 'not done' } });
    expect(messages(log).at(-1)).toBe('stopped');
  });

  it('ends though one of its parts does not, and says which', async () => {
    const { code, log } = await run({ BEHAVIOUR: 'stop-for-ever', SHUTDOWN_GRACE_MS: '300' }, ['SIGTERM']);
    expect(code).toBe(0);
    expect(log.find(({ level }) => level === 'error')).toMatchObject({ step: 'hangs' });
    expect(messages(log)).toContain('stopped');
  });

  it('ends though something is still open that nobody registered', async () => {
    const { code, signal } = await run({ BEHAVIOUR: 'hold-on' }, ['SIGTERM']);
    expect({ code, signal }).toEqual({ code: 0, signal: null });
  });
});

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

/** Runs the fixture; the signals are sent one by one after the message `until`. */
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

describe('runProcess', () => {
  it('shuts down once, in reverse order, when both signals arrive, and exits with 0', async () => {
    const { code, log } = await run({ BEHAVIOUR: 'serve' }, ['SIGINT', 'SIGTERM']);
    expect(code).toBe(0);
    expect(messages(log)).toEqual(['started', 'stopping', 'second has ended', 'first has ended', 'stopped']);
    expect(log[1]!.reason).toMatch(/^SIG(INT|TERM)$/);
  });

  it('exits with 1 and one line per invalid setting before anything starts', async () => {
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

  it('exits with 1 when startup fails, after stopping what had started', async () => {
    const { code, log } = await run({ BEHAVIOUR: 'fail' });
    expect(code).toBe(1);
    expect(log[0]).toMatchObject({ level: 'fatal', msg: 'startup failed', err: { message: 'the port is taken' } });
    expect(messages(log).slice(-3)).toEqual(['second has ended', 'first has ended', 'stopped']);
  });

  it('exits with 1 after an uncaught exception, with an orderly shutdown', async () => {
    const { code, log } = await run({ BEHAVIOUR: 'throw-later' });
    expect(code).toBe(1);
    expect(log.find(({ level }) => level === 'fatal')).toMatchObject({ err: { message: 'unexpected' } });
    expect(messages(log).at(-1)).toBe('stopped');
  });

  it('keeps running after an unhandled rejection and logs it', async () => {
    const { code, log } = await run({ BEHAVIOUR: 'reject-later' }, ['SIGTERM'], 'unhandled rejection');
    expect(code).toBe(0);
    expect(log.find(({ level }) => level === 'error')).toMatchObject({ err: { message: 'forgotten' } });
  });

  it('can be stopped during startup', async () => {
    const { code, log } = await run({ BEHAVIOUR: 'start-for-ever' }, ['SIGTERM']);
    expect(code).toBe(0);
    expect(messages(log).at(-1)).toBe('stopped');
  });

  it('exits with 1 when a signal interrupts the work of its startup', async () => {
    const { code, log } = await run({ BEHAVIOUR: 'interrupt' }, ['SIGTERM']);
    expect(code).toBe(1);
    expect(log.find(({ level }) => level === 'fatal')).toMatchObject({ err: { message: 'not done' } });
    expect(messages(log).at(-1)).toBe('stopped');
  });

  it('exits even if a shutdown step hangs, and names the step', async () => {
    const { code, log } = await run({ BEHAVIOUR: 'stop-for-ever', SHUTDOWN_GRACE_MS: '300' }, ['SIGTERM']);
    expect(code).toBe(0);
    expect(log.find(({ level }) => level === 'error')).toMatchObject({ step: 'hangs' });
    expect(messages(log)).toContain('stopped');
  });

  it('exits even if a handle that was never registered is still open', async () => {
    const { code, signal } = await run({ BEHAVIOUR: 'hold-on' }, ['SIGTERM']);
    expect({ code, signal }).toEqual({ code: 0, signal: null });
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { freePort } from '@dtplatform/stack';
import { devJsonFile } from './support/platform.js';
import { repositoryFile } from './support/repository.js';

/** Runs the program as `npm run tour` does. */
async function tour(...args: string[]) {
  const program = repositoryFile('tools/stack/dist/tour/main.js');
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const child = spawn(process.execPath, [program, '--dev', devJsonFile, ...args], { env: { ...env, NO_COLOR: '1' } });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  return { code: code as number | null, lines: stdout.trimEnd().split('\n'), stderr };
}

describe('the tour', () => {
  it('passes, repeatedly on the same stack', async () => {
    for (const _time of ['first', 'second']) {
      const { code, lines, stderr } = await tour();
      expect([code, stderr, lines.filter((line) => !/^✓ .* \d+ ms$/.test(line))]).toEqual([
        0,
        '',
        [expect.stringMatching(/^tour passed in \d+\.\d s$/)],
      ]);
      expect(lines.length).toBeGreaterThan(25);
    }
  }, 180_000);

  it('exits with a clear message and code 1 when the platform is not running', async () => {
    const { code, stderr } = await tour('--base-url', `http://127.0.0.1:${await freePort()}`);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The tour failed: ".+": POST http:.+\/passportsvc.+ECONNREFUSED/);
  });
});

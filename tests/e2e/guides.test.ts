import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signInAsBrowser } from '@dtplatform/stack/client';
import { stepsOf } from './support/guide.js';
import { dev, devJsonFile } from './support/platform.js';

const END = '--- end of a step';

/** What the guide shows, as a pattern: `…` is any text, and the reply may have more fields. */
function patternOf(shown: unknown): unknown {
  if (typeof shown === 'string') return shown === '…' ? expect.any(String) : shown;
  if (Array.isArray(shown)) return shown.map(patternOf);
  if (typeof shown !== 'object' || shown === null) return shown;
  return expect.objectContaining(
    Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, patternOf(value)])),
  );
}

describe('Your first app, with curl', () => {
  const steps = stepsOf('first-app.md', 'curl');
  let folder: string;
  let outputs: string[];

  /** Runs all snippets in one shell, as a reader does who pastes them, and signs in in between. */
  async function runSteps(): Promise<string[]> {
    const script = steps.flatMap(({ code }) => [code, `echo; echo '${END}'`]).join('\n');
    const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let output = '';
    let isSignedIn = false;
    for await (const text of shell.stdout.setEncoding('utf8')) {
      output += text as string;
      const [address] = /^http\S+\/oauth\/authorize\?\S+$/m.exec(output) ?? [];
      if (address === undefined || isSignedIn) continue;
      isSignedIn = true;
      const callback = await signInAsBrowser(new URL(address), dev.admin, {
        ...dev,
        redirectUri: 'http://localhost:3000/callback',
      });
      shell.stdin.end(`${callback.href}\n`);
    }
    return output.split(END).slice(0, -1);
  }

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'dtplatform-guide-'));
    await mkdir(path.join(folder, '.dtplatform'));
    await symlink(path.resolve(devJsonFile), path.join(folder, '.dtplatform/dev.json'));
    outputs = await runSteps();
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('runs to its end', () => {
    expect(steps.length).toBeGreaterThan(10);
    expect(outputs.length).toBe(steps.length);
  });

  it.each(steps.map((step, index) => ({ ...step, index })).filter(({ reply }) => reply))(
    '$heading: the reply to snippet $index is what the guide shows',
    ({ reply, index }) => {
      const output = outputs[index]!.trim();
      if (reply!.language !== 'json') return expect(output).toBe(reply!.text.trim());
      // A snippet may print several replies; the guide shows the last one.
      const last = output
        .split('\n')
        .slice(output.split('\n').findLastIndex((line) => /^[[{]/.test(line)))
        .join('\n');
      expect(JSON.parse(last)).toEqual(patternOf(JSON.parse(reply!.text)));
    },
  );
});

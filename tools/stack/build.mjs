/** Builds what `npm start` needs. Prints two lines, or the output of a build that failed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const SHOWN_AFTER_MS = 1_500;

const begunAt = performance.now();
const show = (mark, text) => process.stdout.write(`${mark} ${'build'.padEnd(22)} ${text}\n`);
const child = spawn('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 'pipe', 'pipe'] });
let output = '';
for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (output += part));
const timer = setTimeout(() => show('·', 'building; the first time takes about a minute'), SHOWN_AFTER_MS);
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    isInterrupted = true;
    child.kill(signal);
  });
const [code] = await once(child, 'close');
clearTimeout(timer);
if (code === 0) show('✓', `done in ${((performance.now() - begunAt) / 1000).toFixed(1)} s`);
else if (!isInterrupted) process.stderr.write(output);
process.exitCode = isInterrupted ? 130 : (code ?? 1);

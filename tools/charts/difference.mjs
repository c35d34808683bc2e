import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run } from '../programs/run.mjs';
import { withScratch } from './scratch.mjs';

const MAX_LINES = 60;

/** The difference between a committed file and its expected text; undefined if they are equal. */
export async function differenceTo(file, wanted) {
  if (!existsSync(file)) return 'it is missing; `npm run test:charts -- --write` writes it';
  if (readFileSync(file, 'utf8') === wanted) return undefined;
  return withScratch(async (scratch) => {
    const other = join(scratch, basename(file));
    writeFileSync(other, wanted);
    const { stdout } = await run(['git', 'diff', '--no-index', '--no-color', '--unified=2', file, other]);
    const lines = stdout.split('\n').slice(4);
    const shown = lines.slice(0, MAX_LINES).join('\n');
    const more = lines.length > MAX_LINES ? `\n… ${lines.length - MAX_LINES} more lines` : '';
    return `it is out of date; \`npm run test:charts -- --write\` updates it\n${shown}${more}`;
  });
}

/**
 * Compares the reference with that of the last release, `released.json`, and fails if programs that were written for it could
 * break. What was broken on purpose is named in `accepted-breaks.txt`, one line of the output of oasdiff each, and in a note for users.
 *
 * The exit code is 0 for a reference that is compatible, 1 for one that is not, and 2 if they could not be compared.
 *
 * With `--release` it keeps the present reference as the released one; `npm run version` does so.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getOasdiff } from '../programs/go.mjs';

const REFERENCE = new URL('../../services/passportsvc/reference/openapi.json', import.meta.url);
const RELEASED = new URL('released.json', import.meta.url);
const ACCEPTED = new URL('accepted-breaks.txt', import.meta.url);
/** The exit code of oasdiff, and of this program, for changes that break programs. */
const BREAKS = 1;
const NOT_COMPARED = 2;
/** What programs do not depend on. */
const TEXTS = ['summary', 'example', 'examples', 'tags'];
/** Objects whose keys are names of the API. */
const MAPS = ['properties', 'paths', 'schemas', 'responses', 'headers', 'content', 'securitySchemes', 'scopes'];

const reference = `${JSON.stringify(slim(JSON.parse(readFileSync(REFERENCE, 'utf8'))))}\n`;
if (process.argv.includes('--release')) {
  writeFileSync(RELEASED, reference);
  writeFileSync(ACCEPTED, '');
} else {
  process.exitCode = await compare().catch(({ message }) => {
    process.stderr.write(`The references could not be compared: ${message}\n`);
    return NOT_COMPARED;
  });
}

/**
 * The reference without texts, which are most of it and would make equal alternatives of an `anyOf` differ, and without errors: new
 * ones break nothing.
 */
function slim(value, isMap = false) {
  if (Array.isArray(value)) return value.map((each) => slim(each));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) =>
    isMap ? !/^[345]\d\d$/.test(name) : !(TEXTS.includes(name) || name.startsWith('x-')),
  );
  return Object.fromEntries(
    kept.map(([name, each]) => {
      const isText = !isMap && name === 'description';
      // Replies must have one.
      return [name, isText ? '' : slim(each, !isMap && MAPS.includes(name))];
    }),
  );
}

async function compare() {
  const oasdiff = await getOasdiff();
  const folder = mkdtempSync(join(tmpdir(), 'dtplatform-openapi-'));
  const present = join(folder, 'openapi.json');
  writeFileSync(present, reference);
  const options = [
    '--fail-on',
    'ERR',
    '--err-ignore',
    fileURLToPath(ACCEPTED),
    '--format',
    'singleline',
    '--color',
    'never',
  ];
  const { code, output } = await oasdiff('breaking', fileURLToPath(RELEASED), present, ...options);
  rmSync(folder, { recursive: true });
  if (code !== 0 && code !== BREAKS) throw new Error(`oasdiff exited with ${code}: ${output}`);
  if (code === BREAKS)
    process.stdout.write(`${output}\nThis breaks programs of users (CONTRIBUTING.md, "Break the API").\n`);
  return code;
}

/**
 * Compares the API descriptions of all services with the last release, and fails if programs written for it could
 * break. Intended breaks are lines of oasdiff's output in `accepted-breaks.txt`; lines that the last release already
 * had no longer count.
 *
 * The exit code is 0 for compatible descriptions, 1 for breaking changes, and 2 if they could not be compared.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getOasdiff } from '../programs/go.mjs';

/** The baseline until a release is tagged. */
const FIRST_BASELINE = 'fed1ddb8d9d14af57322401c436329b22810c9d2';
const RELEASE_TAGS = '@dtplatform/*svc@*';

const root = new URL('../../', import.meta.url).pathname;
const ACCEPTED = 'tools/openapi/accepted-breaks.txt';
/** The exit code of oasdiff and of this program for breaking changes. */
const BREAKS = 1;
const NOT_COMPARED = 2;
/** Programs do not depend on these. */
const TEXTS = ['summary', 'example', 'examples', 'tags'];
/** Objects whose keys are names of the API. */
const MAPS = ['properties', 'paths', 'schemas', 'responses', 'headers', 'content', 'securitySchemes', 'scopes'];

process.exitCode = await compare().catch(({ message }) => {
  process.stderr.write(`The descriptions could not be compared: ${message}\n`);
  return NOT_COMPARED;
});

async function compare() {
  const baseline = findBaseline();
  const released = (path) => git('show', `${baseline}:${path}`);
  const present = (path) => readFileSync(join(root, path), 'utf8');
  const oasdiff = await getOasdiff();
  const folder = mkdtempSync(join(tmpdir(), 'dtplatform-openapi-'));
  try {
    const before = linesOf(released(ACCEPTED));
    const accepted = join(folder, 'accepted.txt');
    writeFileSync(
      accepted,
      linesOf(present(ACCEPTED))
        .filter((line) => !before.includes(line))
        .join('\n'),
    );
    const paths = linesOf(git('ls-tree', '-r', '--name-only', baseline, 'services')).filter(isDescription);
    const now = linesOf(git('ls-files', 'services')).filter(isDescription);
    const { code, output } = await oasdiff(
      ...['breaking', '--composed', collect('released', paths, released), collect('present', now, present)],
      ...['--fail-on', 'ERR', '--err-ignore', accepted, '--format', 'singleline', '--color', 'never'],
    );
    if (code !== 0 && code !== BREAKS) throw new Error(`oasdiff exited with ${code}: ${output}`);
    if (code === BREAKS)
      process.stdout.write(
        `${output.replaceAll(`${folder}/`, '')}\nThis breaks programs of users (CONTRIBUTING.md, "Describe an operation").\n`,
      );
    return code;
  } finally {
    rmSync(folder, { recursive: true });
  }

  /** @returns the pattern of the files */
  function collect(name, paths, read) {
    mkdirSync(join(folder, name));
    for (const path of paths)
      writeFileSync(join(folder, name, `${path.split('/')[1]}.json`), JSON.stringify(slim(JSON.parse(read(path)))));
    return join(folder, name, '*.json');
  }
}

/** @throws if this clone lacks the commit */
function findBaseline() {
  const tag = tryGit('describe', '--tags', '--abbrev=0', '--match', RELEASE_TAGS);
  if (!tag && JSON.parse(readFileSync(join(root, 'services/filesvc/package.json'), 'utf8')).version !== '0.1.0')
    throw new Error('this clone lacks the tags of releases. Run "git fetch --tags".');
  const baseline = tag ?? FIRST_BASELINE;
  if (tryGit('cat-file', '-e', `${baseline}^{commit}`) === undefined)
    throw new Error(
      `this clone lacks the commit ${baseline}, the last release. Run "git fetch --unshallow --tags", or clone with the whole history.`,
    );
  return baseline;
}

/**
 * A description without errors, since new ones break nothing, and without texts, which are most of it and would
 * distinguish equal alternatives of an `anyOf`.
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
      // Responses must have one.
      return [name, isText ? '' : slim(each, !isMap && MAPS.includes(name))];
    }),
  );
}

function isDescription(path) {
  return /^services\/[^/]+\/openapi\.json$/.test(path);
}

function linesOf(text) {
  return text.split('\n').filter(Boolean);
}

function git(...args) {
  return execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', maxBuffer: 2 ** 27, stdio: 'pipe' });
}

function tryGit(...args) {
  try {
    return git(...args).trim();
  } catch {
    return undefined;
  }
}

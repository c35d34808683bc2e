/** Compares the API descriptions of all services with those of the last release. */
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
/** The exit code of oasdiff for breaking changes. */
const BREAKS = 1;
/** Programs do not depend on these. */
const TEXTS = ['summary', 'example', 'examples', 'tags'];
/** Objects whose keys are names of the API. */
const MAPS = [
  'properties',
  'paths',
  'schemas',
  'responses',
  'parameters',
  'headers',
  'content',
  'securitySchemes',
  'scopes',
];

/** Whether there has been a release. */
export const isReleased = () => releaseTag() !== undefined;

/**
 * @param {{ format: 'json' | 'singleline', withAccepted: boolean }} options of oasdiff; whether the result includes the
 *   breaks in `accepted-breaks.txt`. Lines that the last release already had no longer count.
 * @returns {Promise<string>} what oasdiff prints about changes that could break programs written for the last release
 */
export async function breakingChanges({ format, withAccepted }) {
  const baseline = findBaseline();
  const released = (path) => git('show', `${baseline}:${path}`);
  const present = (path) => readFileSync(join(root, path), 'utf8');
  const oasdiff = await getOasdiff();
  const folder = mkdtempSync(join(tmpdir(), 'dtplatform-openapi-'));
  try {
    const before = linesOf(released(ACCEPTED));
    const accepted = withAccepted ? [] : linesOf(present(ACCEPTED)).filter((line) => !before.includes(line));
    writeFileSync(join(folder, 'accepted.txt'), accepted.join('\n'));
    const paths = linesOf(git('ls-tree', '-r', '--name-only', baseline, 'services')).filter(isDescription);
    const now = linesOf(git('ls-files', 'services')).filter(isDescription);
    const { code, output } = await oasdiff(
      ...['breaking', '--composed', collect('released', paths, released), collect('present', now, present)],
      ...['--fail-on', 'ERR', '--err-ignore', join(folder, 'accepted.txt'), '--format', format],
    );
    if (code !== 0 && code !== BREAKS) throw new Error(`oasdiff exited with ${code}: ${output}`);
    return code === BREAKS ? output.replaceAll(`${folder}/`, '') : '';
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

function releaseTag() {
  return tryGit('describe', '--tags', '--abbrev=0', '--match', RELEASE_TAGS);
}

/** @throws if this clone lacks the commit */
function findBaseline() {
  const tag = releaseTag();
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

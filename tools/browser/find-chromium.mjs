import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** Debian's browser, and a font for machines that have none. */
const PACKAGES = ['chromium', 'fonts-liberation'];
const TIMEOUT_MS = 5 * 60_000;

/**
 * Returns the program of a Chromium: `CHROMIUM`, one on the PATH, or Debian's packages unpacked into the user's cache
 * without installation.
 * @throws when there is none, with what was tried
 */
export async function findChromium(env = process.env, report = (line) => process.stderr.write(`${line}\n`)) {
  if (env.CHROMIUM) {
    if (isProgram(env.CHROMIUM)) return env.CHROMIUM;
    throw new Error(`CHROMIUM names ${env.CHROMIUM}, which cannot be run.`);
  }
  const folders = (env.PATH ?? '').split(path.delimiter).filter(Boolean);
  const onPath = NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(isProgram);
  return onPath ?? (await unpacked(env, report));
}

async function unpacked(env, report) {
  const cache = path.join(env.XDG_CACHE_HOME || path.join(env.HOME || homedir(), '.cache'), 'dtplatform', 'browsers');
  const program = path.join(cache, 'chromium', 'start');
  if (isProgram(program)) return program;
  const draft = path.join(cache, `draft-${process.pid}`);
  try {
    report('browser: unpacking Debian’s Chromium into the cache (once)');
    await unpack(draft);
    await rename(draft, path.join(cache, 'chromium'));
  } catch (error) {
    throw new Error(
      `The browser tests need Chromium. Neither CHROMIUM nor the PATH has one, and Debian's packages could not be unpacked: ` +
        `${error.stderr?.trim() || error.message}\nInstall it (apt-get install chromium) or set CHROMIUM.`,
      { cause: error },
    );
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return program;
}

/** Downloads what apt would install and unpacks it. Uses apt's package lists, or downloads them next to it. */
async function unpack(dir) {
  await mkdir(path.join(dir, 'lists', 'partial'), { recursive: true });
  await mkdir(path.join(dir, 'archives', 'partial'), { recursive: true });
  const options = [
    '-o',
    `Dir::State::Lists=${path.join(dir, 'lists')}`,
    '-o',
    `Dir::Cache=${dir}`,
    '-o',
    'Debug::NoLocking=1',
  ];
  const apt = (...args) => run('apt-get', [...options, ...args], { cwd: dir, timeout: TIMEOUT_MS, maxBuffer: 1 << 26 });
  await apt('update');
  const { stdout } = await apt('install', '--print-uris', '-y', '-qq', '--no-install-recommends', ...PACKAGES);
  const names = [...stdout.matchAll(/^'[^']+' ([^_\s]+)_\S+\.deb/gm)].map(([, name]) => name);
  if (names.length === 0) throw new Error('apt names no packages');
  await apt('download', ...names);
  const root = path.join(dir, 'root');
  for (const file of await readdir(dir))
    if (file.endsWith('.deb')) await run('dpkg-deb', ['-x', path.join(dir, file), root]);
  for (const file of await readdir(dir)) if (file !== 'root') await rm(path.join(dir, file), { recursive: true });
  await writeFile(path.join(dir, 'fonts.conf'), FONTS);
  await writeFile(path.join(dir, 'start'), START);
  await chmod(path.join(dir, 'start'), 0o755);
  await run(path.join(dir, 'start'), ['--version'], { timeout: TIMEOUT_MS });
}

const START = `#!/bin/sh
# Debian's Chromium with the libraries and fonts that were unpacked with it.
here=$(dirname "$(readlink -f "$0")")
libraries=$(find "$here/root/usr/lib" "$here/root/lib" -maxdepth 3 -name '*.so*' -exec dirname {} + 2>/dev/null | sort -u | tr '\\n' ':')
export LD_LIBRARY_PATH="$libraries$LD_LIBRARY_PATH" FONTCONFIG_FILE="$here/fonts.conf"
exec "$here/root/usr/lib/chromium/chromium" "$@"
`;

const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">root/usr/share/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <alias><family>sans-serif</family><prefer><family>Liberation Sans</family></prefer></alias>
  <alias><family>system-ui</family><prefer><family>Liberation Sans</family></prefer></alias>
  <alias><family>serif</family><prefer><family>Liberation Serif</family></prefer></alias>
</fontconfig>
`;

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

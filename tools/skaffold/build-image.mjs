/**
 * Builds a development image with Buildah as a custom builder of Skaffold. Usage: build-image.mjs SERVICE, `site` or
 * `packages`.
 *
 * Skaffold sets IMAGE and PUSH_IMAGE; BUILD_IMAGE and RUN_IMAGE name other base images. A service's image is the image
 * of the packages plus one layer of compiled code, so a changed line adds a few hundred kilobytes. The same files give
 * the same digest: a service that does not use a changed library keeps its pods.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { folderOf, programsOf } from './programs.mjs';

const [target] = process.argv.slice(2);
const { IMAGE, PUSH_IMAGE, BUILD_IMAGE, RUN_IMAGE } = process.env;
if (target === undefined || IMAGE === undefined)
  throw new Error('usage: IMAGE=NAME build-image.mjs SERVICE|site|packages');
const bases = Object.entries({ BUILD_IMAGE, RUN_IMAGE }).flatMap(([name, image]) =>
  image ? [`${name}=${image}`] : [],
);

const run = (command, ...args) => execFileSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
const foldersIn = (parent) => readdirSync(parent).map((name) => join(parent, name));
const turbo = (...args) => run('env', 'TURBO_TELEMETRY_DISABLED=1', 'node_modules/.bin/turbo', ...args);

const packages = buildPackages();
if (target === 'packages') run('buildah', 'tag', packages, IMAGE);
else buildService(target);
// Like Docker and containerd, connect to a registry on this machine without TLS.
if (PUSH_IMAGE === 'true')
  run('buildah', 'push', '--quiet', `--tls-verify=${!/^(localhost|127\.)/.test(IMAGE)}`, IMAGE);

/** Installs the packages unless an image contains them. Returns its name. */
function buildPackages() {
  const dockerfile = 'docker/development-packages.Dockerfile';
  const hash = createHash('sha256').update(bases.join());
  const folders = [...['libs', 'services'].flatMap(foldersIn), 'tools/site'];
  const manifests = folders.map((folder) => join(folder, 'package.json'));
  for (const file of [dockerfile, '.npmrc', 'package.json', 'package-lock.json', ...manifests])
    hash.update(readFileSync(file));
  const image = `localhost/dtplatform/development-packages:${hash.digest('hex').slice(0, 16)}`;
  if (!exists(image))
    withFolder((folder) => {
      const programs = [...foldersIn('services'), 'tools/site'].map((name) => `@dtplatform/${basename(name)}`);
      turbo('prune', ...programs, '--docker', '--out-dir', folder);
      build(dockerfile, image, join(folder, 'json'), bases);
    });
  return image;
}

/** Compiles the service and its libraries, failing on a syntax error, and adds the result to the packages. */
function buildService(service) {
  turbo('run', 'build', `--filter=@dtplatform/${service}...`, '--output-logs=errors-only');
  withFolder((folder) => {
    for (const programs of programsOf(service)) cpSync(programs, join(folder, programs), { recursive: true });
    build('docker/development.Dockerfile', IMAGE, folder, [
      `PACKAGES=${packages}`,
      `SERVICE=${service}`,
      `FOLDER=${dirname(folderOf(service))}`,
    ]);
  });
}

function build(dockerfile, image, context, args) {
  // Buildah allows 1024 open files by default; npm opens more.
  const settings = ['--ulimit', 'nofile=16384:16384', ...args.flatMap((arg) => ['--build-arg', arg])];
  run('buildah', 'build', '--quiet', '--timestamp=0', ...settings, '--file', dockerfile, '--tag', image, context);
}

function exists(image) {
  try {
    execFileSync('buildah', ['inspect', '--type=image', '--format={{.FromImageID}}', image], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function withFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'dtplatform-image-'));
  try {
    work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

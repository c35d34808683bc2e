/** Collects the packages of the SDKs and the command line, so that the platform serves the versions that match it. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { here, publishedPackages, root } from './files.mjs';

const SDK = '@dtplatform/sdk';

export function packPackages() {
  const work = mkdtempSync(join(tmpdir(), 'dtplatform-packages-'));
  rmSync(publishedPackages, { recursive: true, force: true });
  mkdirSync(publishedPackages, { recursive: true });
  try {
    pack(join(root, 'packages/sdk'), 'sdk.tgz');
    pack(withSdk(join(work, 'cli')), 'dt.tgz');
    cpSync(join(root, 'packages/sdk-python/dist'), publishedPackages, { recursive: true });
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** pip reads the version from the file name. */
export const packagesPage = () =>
  readFileSync(join(here, 'src/static/packages/index.md'), 'utf8').replace(
    'VERSION',
    readJson('packages/sdk-python/package.json').version,
  );

function pack(folder, name) {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', publishedPackages];
  const [{ filename }] = JSON.parse(execFileSync('npm', args, { cwd: folder, encoding: 'utf8' }));
  renameSync(join(publishedPackages, filename), join(publishedPackages, name));
}

/** The command line with the SDK inside, which no registry may have yet. */
function withSdk(folder) {
  copyPackage('packages/cli', folder);
  const bundled = join(folder, 'node_modules', SDK);
  copyPackage('packages/sdk', bundled);
  const cli = readJson('packages/cli/package.json');
  // npm does not install what a bundled package depends on; a global installation leaves even its folders empty.
  const { dependencies: ofSdk, ...sdk } = readJson('packages/sdk/package.json');
  writeFileSync(join(bundled, 'package.json'), JSON.stringify(sdk));
  const dependencies = { ...ofSdk, ...cli.dependencies };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...cli, dependencies, bundleDependencies: [SDK] }));
  return folder;
}

const readJson = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'));

function copyPackage(source, target) {
  for (const part of ['package.json', 'README.md', 'LICENSE', 'dist'])
    cpSync(join(root, source, part), join(target, part), { recursive: true });
}

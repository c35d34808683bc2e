/**
 * Prints the path of Helm in the version of `tools/go.mod`, which it builds on first use.
 *
 * With `--no-build`, it exits with code 1 instead of building.
 */
import { findHelmPath, getHelmPath } from './go.mjs';

try {
  const file = process.argv.includes('--no-build') ? findHelmPath() : await getHelmPath();
  if (file === undefined) process.exitCode = 1;
  else process.stdout.write(`${file}\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

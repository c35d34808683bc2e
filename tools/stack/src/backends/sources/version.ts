import { runCommand } from '../../processes/run-command.js';
import type { Program } from '../backend-spec.js';
import type { SourceContext } from '../types.js';

/**
 * Runs `<file> --version`, which also proves that the program works. Returns `major.minor`, or '' if any version will
 * do. Throws when the program does not run or is too old.
 */
export async function checkVersion(file: string, { atLeast }: Program, { env, signal }: SourceContext) {
  const output = await runCommand(file, ['--version'], { env, signal, timeoutMs: 30_000 });
  if (atLeast === undefined) return '';
  // `db version v7.0.5`, `Redis server v=6.2.14`
  const [, major, minor] = /\bv=?(\d+)\.(\d+)/.exec(output) ?? [];
  if (major === undefined || minor === undefined) throw new Error('its version is unknown');
  const [leastMajor, leastMinor] = atLeast;
  if (Number(major) < leastMajor || (Number(major) === leastMajor && Number(minor) < leastMinor))
    throw new Error(`version ${major}.${minor} is too old; ${leastMajor}.${leastMinor} or newer is required`);
  return `${major}.${minor}`;
}

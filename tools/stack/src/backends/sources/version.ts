import { runCommand } from '../../processes/run-command.js';
import type { Program } from '../backend-spec.js';
import type { SourceContext } from '../types.js';

/**
 * Runs `<file> --version`, which also proves that the program works. Returns `major.minor`, or '' if any version will
 * do. Throws when the program does not run or is too old.
 */
export async function checkVersion(
  file: string,
  { version }: Program,
  { env, signal }: SourceContext,
): Promise<string> {
  const output = await runCommand(file, ['--version'], { env, signal, timeoutMs: 30_000 });
  if (version === undefined) return '';
  const [, major, minor] = version.pattern.exec(output) ?? [];
  if (major === undefined || minor === undefined) throw new Error('its version is unknown');
  const [leastMajor, leastMinor] = version.atLeast;
  if (Number(major) < leastMajor || (Number(major) === leastMajor && Number(minor) < leastMinor))
    throw new Error(`version ${major}.${minor} is too old; ${leastMajor}.${leastMinor} or newer is required`);
  return `${major}.${minor}`;
}

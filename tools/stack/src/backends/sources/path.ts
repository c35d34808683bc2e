import { findOnPath } from '../../processes/find-on-path.js';
import { onThisMachine, type Source, Unavailable } from './source.js';
import { checkVersion } from './version.js';

/** A program that the user has installed. */
export const fromPath: Source = async (spec, context) => {
  const failures: string[] = [];
  for (const program of spec.programs) {
    const file = findOnPath(program.binary, context.env);
    if (file === undefined) {
      failures.push(`${program.binary} on the PATH: not found`);
      continue;
    }
    try {
      const version = await checkVersion(file, program, context);
      return {
        kind: 'path',
        description: `${file} ${version}`.trimEnd(),
        command: (place) => ({ command: file, args: program.args(onThisMachine(place)) }),
      };
    } catch (error) {
      context.signal.throwIfAborted();
      failures.push(`${file}: ${(error as Error).message}`);
    }
  }
  throw new Unavailable(failures.join('\n'));
};

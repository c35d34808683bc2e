import { findOnPath } from '../../processes/find-on-path.js';
import { runCommand } from '../../processes/run-command.js';
import type { GoPackage } from '../backend-spec.js';
import type { SourceContext } from '../types.js';
import { withHeartbeat } from '../../heartbeat.js';

/** Builds a Go program into `dir`. Go verifies downloads against the public checksum database. */
export async function buildGoProgram(title: string, wanted: GoPackage, dir: string, context: SourceContext) {
  const go = findOnPath('go', context.env);
  if (go === undefined) throw new Error('no go on the PATH');
  const what = `building package ${wanted.name} ${wanted.version} (once; takes a minute or two)`;
  await withHeartbeat(context.report, title, what, () =>
    runCommand(go, ['install', '-ldflags=-s -w', `${wanted.module}@${wanted.version}`], {
      cwd: dir,
      env: { ...context.env, GOBIN: dir },
      signal: context.signal,
    }),
  );
}

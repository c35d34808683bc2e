import { findOnPath } from '@dtplatform/stack';
import { runTool } from '../tools/run-tool.js';
import type { SkaffoldOptions } from './options.js';

/** What the machine lacks to run the test, one line each. */
export async function missingPrograms(
  { defaultRepo, local }: SkaffoldOptions,
  { env, signal }: { env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<string[]> {
  const has = (program: string) => findOnPath(program, env) !== undefined;
  const missing = [
    env.SKAFFOLD || has('skaffold') ? '' : 'skaffold: put it on the PATH, or name it in SKAFFOLD',
    has('buildah') ? '' : 'buildah: put it on the PATH',
    env.HELM || has('go') ? '' : 'helm: put Go on the PATH, with which it is built, or name it in HELM',
    defaultRepo !== undefined || has('registry') ? '' : 'registry: pass --default-repo, or put the program on the PATH',
    local && !has('debootstrap') ? 'debootstrap: put it on the PATH, for --local' : '',
    has('kubectl') ? await unreachable({ env, signal }) : 'kubectl: put it on the PATH',
  ];
  return missing.filter((line) => line !== '');
}

const unreachable = (context: { env: NodeJS.ProcessEnv; signal: AbortSignal }): Promise<string> =>
  runTool('kubectl', ['get', 'nodes', '--request-timeout=10s'], context).then(
    () => '',
    () => 'a cluster: kubectl get nodes fails with the current context',
  );

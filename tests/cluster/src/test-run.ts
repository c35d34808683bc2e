import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { devSettings, repoRoot, writeDevJson } from '@dtplatform/stack';
import { runTool } from './tools/run-tool.js';
import type { DevJson } from '@dtplatform/stack';
import { provideImages } from './provide-images.js';
import type { Context } from './context.js';
import type { Options } from './options.js';
import { checkPrograms } from './preflight.js';
import { createHelm, findHelm, type Helm } from './tools/helm.js';
import { createKubectl, type Kubectl } from './tools/kubectl.js';
import { platformValues } from './values.js';

/** The context of every phase. */
export interface TestRun extends Context {
  options: Options;
  kubectl: Kubectl;
  /** For clean-up, also after Ctrl-C: it ignores the signal. */
  uninterrupted: Kubectl;
  helm: Helm;
  /** The address of the platform and the credentials for it. */
  dev: DevJson;
  /** Contains `dev.json`. */
  stateDir: string;
  /** The values of charts/platform in every phase. */
  values: (choice: { tag: string; replicas: number }) => Record<string, object>;
  /** Records why a phase, or a part of it, was not tested. */
  skip: (what: string, reason: string) => void;
  skipped: Skipped[];
}

interface Skipped {
  what: string;
  reason: string;
}

/** Finds the programs and the cluster, provides the images and generates the secrets. */
export async function prepare(options: Options, context: Context): Promise<TestRun> {
  const { env, signal, report } = context;
  await checkPrograms(options, context);
  const kubectl = createKubectl(options.namespace, { env, signal });
  const uninterrupted = createKubectl(options.namespace, { env });
  const host = options.host ?? (await firstNode(kubectl));
  report.ready('cluster', `${(await kubectl.run('config', 'current-context')).trim()}, node ports at ${host}`);
  const helm = createHelm(await findHelm(context), options.namespace, { env, signal });
  const stateDir = path.resolve(repoRoot, options.stateDir);
  await mkdir(stateDir, { recursive: true });
  if (!options.skipImages) await provideImages(options, { ...context, archives: path.join(stateDir, 'images') });

  // Helm installs packaged copies of the library and of the services' charts.
  await runTool(process.execPath, ['tools/charts/main.mjs', 'dependencies'], { cwd: repoRoot, env, signal });
  const settings = await devSettings(stateDir);
  const dev = await writeDevJson(stateDir, `http://${host}:${options.nodePorts.http}`, settings);
  const skipped: Skipped[] = [];
  return {
    ...{ ...context, options, kubectl, uninterrupted, helm, dev, stateDir, skipped },
    skip(what, reason) {
      report.warn(what, `skipped: ${reason}`);
      skipped.push({ what, reason });
    },
    values: (choice) => platformValues({ ...options, ...choice, host, settings }),
  };
}

/** Writes a file to the state folder. Resolves with its path. */
export async function writeJson({ stateDir }: TestRun, name: string, content: object): Promise<string> {
  const file = path.join(stateDir, `${name}.json`);
  await writeFile(file, JSON.stringify(content, null, 2), { mode: 0o600 });
  return file;
}

async function firstNode(kubectl: Kubectl): Promise<string> {
  const query = '{.items[0].status.addresses[?(@.type=="InternalIP")].address}';
  const address = await kubectl.run('get', 'nodes', '--output', `jsonpath=${query}`);
  if (address.trim() === '') throw new Error('no node of the cluster has an internal address: pass --host');
  return address.trim();
}

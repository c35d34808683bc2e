import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { devSettings, repoRoot, writeDevJson } from '@dtplatform/stack';
import { runTool } from './tools/run-tool.js';
import type { DevJson } from '@dtplatform/stack';
import { bringImages } from './bring-images.js';
import type { Context } from './context.js';
import type { Options } from './options.js';
import { createHelm, type Helm } from './tools/helm.js';
import { createKubectl, type Kubectl } from './tools/kubectl.js';
import { NODE_PORTS, platformValues } from './values.js';

/** What every phase has at hand. */
export interface Surroundings extends Context {
  options: Options;
  kubectl: Kubectl;
  helm: Helm;
  /** How to reach the platform, and as whom. */
  dev: DevJson;
  /** Holds `dev.json`. */
  stateDir: string;
  /** A file of chart values. */
  values: (file: string, choice: { tag: string; replicas: number }) => Promise<string>;
}

/** Finds the tools and the cluster, builds images and brings them there, makes secrets up. */
export async function prepare(options: Options, context: Context): Promise<Surroundings> {
  const { env, signal, report } = context;
  const kubectl = createKubectl(options.namespace, { env, signal });
  const host = options.host ?? (await firstNode(kubectl));
  report.ready('cluster', `${(await kubectl.run('config', 'current-context')).trim()}, node ports at ${host}`);
  const stateDir = path.resolve(repoRoot, options.stateDir);
  await mkdir(stateDir, { recursive: true });
  if (!options.skipImages) await bringImages(options, { ...context, archives: path.join(stateDir, 'images') });

  // Helm puts charts together from copies of the library and of the services' charts.
  await runTool(process.execPath, ['tools/charts/main.mjs', 'dependencies'], { cwd: repoRoot, env, signal });
  const settings = await devSettings(stateDir);
  const dev = await writeDevJson(stateDir, `http://${host}:${NODE_PORTS.http}`, settings);
  return {
    ...{ ...context, options, kubectl, dev, stateDir },
    helm: createHelm(env.HELM ?? 'helm', options.namespace, { env, signal }),
    async values(file, choice) {
      const target = path.join(stateDir, file);
      const values = platformValues({ ...choice, host, settings, registry: options.registry, local: options.local });
      await writeFile(target, JSON.stringify(values, null, 2), { mode: 0o600 });
      return target;
    },
  };
}

async function firstNode(kubectl: Kubectl): Promise<string> {
  const query = '{.items[0].status.addresses[?(@.type=="InternalIP")].address}';
  const address = await kubectl.run('get', 'nodes', '--output', `jsonpath=${query}`);
  if (address.trim() === '') throw new Error('the cluster has no node with an address: say --host');
  return address.trim();
}

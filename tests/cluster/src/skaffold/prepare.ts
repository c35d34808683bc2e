import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { devSettings, freePort, repoRoot, type DevJson } from '@dtplatform/stack';
import type { Context } from '../context.js';
import { buildLocalBase, LOCAL_BASE } from '../images/base-images.js';
import { findBuilder } from '../images/builder.js';
import { buildDevBackends, devBackendImages } from '../images/dev-backends.js';
import { findHelm } from '../tools/helm.js';
import { createKubectl, type Kubectl } from '../tools/kubectl.js';
import { runTool } from '../tools/run-tool.js';
import { platformValues } from '../values.js';
import type { SkaffoldOptions } from './options.js';
import { startRegistry } from './registry.js';
import { copyRepository, type Workspace } from './workspace.js';
import { startSkaffold, type Session } from './session.js';

/** The context of the phases. */
export interface SkaffoldRun extends Context {
  kubectl: Kubectl;
  namespace: string;
  workspace: Workspace;
  /** The application of the installation, through the gateway port that Skaffold forwards. */
  application: DevJson;
  start(command: 'dev' | 'debug'): Session;
}

type Undo = () => Promise<unknown>;

/** Prepares the registry, the namespace and a copy of the repository. Adds clean-up steps to `undo`. */
export async function prepareSkaffold(options: SkaffoldOptions, context: Context, undo: Undo[]): Promise<SkaffoldRun> {
  const { namespace, local } = options;
  const folder = await mkdtemp(path.join(tmpdir(), 'dtplatform-skaffold-state-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const workspace = await copyRepository(context);
  undo.push(() => workspace.remove());
  const port = await forwardToFreePorts(workspace);
  const registry = await registryOf(options, context, undo);
  const settings = await environment(folder, registry, context);
  const env: NodeJS.ProcessEnv = { ...context.env, ...settings, ...(local ? LOCAL_BASE : {}) };
  if (local) await provideBackends(registry, context);
  await writeValues(settings.VALUES_FILE, { registry, local });
  await pushDebugSupport(registry, workspace, { ...context, env });

  const kubectl = createKubectl(namespace, context);
  await kubectl.run('create', 'namespace', namespace);
  // Not interruptible, so that nothing is left in the cluster.
  undo.push(() => createKubectl(namespace, { env }).run('delete', 'namespace', namespace, '--timeout=180s'));
  const logs = path.join(repoRoot, '.dtplatform/skaffold');
  await mkdir(logs, { recursive: true });
  const args = ['--profile=buildah', `--default-repo=${registry}`, `--namespace=${namespace}`];
  const start = (command: string) =>
    startSkaffold(env.SKAFFOLD ?? 'skaffold', [command, ...args], {
      cwd: workspace.folder,
      env,
      signal: context.signal,
      log: path.join(logs, `${command}.log`),
    });
  const application = { ...(await devSettings(folder)), baseUrl: `http://127.0.0.1:${port}` };
  return { ...context, env, kubectl, namespace, workspace, application, start };
}

/** Lets the test run beside the developer's own platform. Returns the gateway's port. */
async function forwardToFreePorts(workspace: Workspace): Promise<number> {
  const port = await freePort();
  await workspace.change('skaffold.yaml', 'localPort: 8080', `localPort: ${port}`);
  await workspace.change('skaffold.yaml', 'localPort: 9000', `localPort: ${await freePort()}`);
  return port;
}

async function registryOf(options: SkaffoldOptions, { env, signal }: Context, undo: Undo[]): Promise<string> {
  if (options.defaultRepo !== undefined) return options.defaultRepo;
  const registry = await startRegistry(env, signal);
  undo.push(() => registry.stop());
  return registry.name;
}

/** Separates Skaffold's files from the developer's, and puts Helm on the PATH. */
async function environment(folder: string, registry: string, context: Context) {
  const programs = path.join(folder, 'bin');
  await mkdir(programs);
  await symlink(path.resolve(repoRoot, await findHelm(context)), path.join(programs, 'helm'));
  const config = path.join(folder, 'skaffold.json');
  const global = { 'debug-helpers-registry': `${registry}/debug-support`, 'collect-metrics': false };
  await writeFile(config, JSON.stringify({ global, kubeContexts: [] }));
  return {
    PATH: `${programs}${path.delimiter}${context.env.PATH}`,
    SKAFFOLD_CONFIG: config,
    SKAFFOLD_CACHE_FILE: path.join(folder, 'cache'),
    SKAFFOLD_INTERACTIVE: 'false',
    SKAFFOLD_UPDATE_CHECK: 'false',
    VALUES_FILE: path.join(folder, 'values.json'),
  };
}

/** Builds the backends' images from packages and pushes them, so that the test needs no images on the nodes. */
async function provideBackends(registry: string, { env, signal, report }: Context): Promise<void> {
  await buildLocalBase(env, signal);
  const images = devBackendImages(registry);
  await buildDevBackends(await findBuilder(env, signal, { local: true }), images, { env, signal, report });
  for (const { image } of images) await push(image, { env, signal, report });
}

const push = (image: string, { env, signal }: Context): Promise<string> =>
  runTool('buildah', ['push', '--quiet', `--tls-verify=${!image.startsWith('localhost')}`, image], { env, signal });

async function writeValues(file: string, { registry, local }: { registry: string; local: boolean }): Promise<void> {
  const settings = await devSettings(path.dirname(file));
  const nodePorts = { http: 8080, s3: 9000 };
  const values = platformValues({ host: '127.0.0.1', registry, tag: '', local, replicas: 1, nodePorts, settings });
  const { 'dev-backends': backends, global, site, ...services } = values;
  const secrets = { ...backends.secrets, accessKey: 'dtplatform', secretKey: settings.serviceClient.secret };
  const all = {
    ...Object.fromEntries(Object.entries(services).map(([name, one]) => [name, small(one)])),
    site: { ...site, resources },
    global: { ...global, image: {} }, // Skaffold names the images
    'dev-backends': { ...backends, ...smallBackends(backends), secrets },
  };
  await writeFile(file, JSON.stringify(all), { mode: 0o600 });
}

/** Reserves no CPU and no volume, so that the test fits beside other workloads. */
const resources = { requests: { cpu: '0' } };

const small = (service: object) => ({
  ...{ ...service, resources, migration: { resources } },
  ...('worker' in service ? { worker: { replicas: 1, resources } } : {}),
});

function smallBackends(backends: Record<string, unknown>): object {
  const persistence = { enabled: false };
  const one = (name: string) => [name, { ...(backends[name] as object), resources, persistence }] as const;
  const { mongodb, redis, s3 } = Object.fromEntries(['mongodb', 'redis', 's3'].map(one));
  const gateway = { ...(backends.gateway as object), resources };
  return { mongodb: { ...mongodb, replicaSet: { resources } }, redis, s3, gateway };
}

/** Replaces the image that Skaffold would fetch from gcr.io; the services need nothing from it (CONTRIBUTING.md). */
async function pushDebugSupport(registry: string, { folder }: Workspace, context: Context): Promise<void> {
  context.report.progress('packages', 'installing and pushing');
  await runTool(process.execPath, ['tools/skaffold/build-image.mjs', 'packages'], {
    ...{ cwd: folder, signal: context.signal },
    env: { ...context.env, IMAGE: `${registry}/debug-support/nodejs:latest`, PUSH_IMAGE: 'true' },
  });
}

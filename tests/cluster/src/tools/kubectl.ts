import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runTool } from './run-tool.js';

export interface Pod {
  metadata: { name: string; labels: Record<string, string>; deletionTimestamp?: string };
  status: {
    podIP?: string;
    /** Why the kubelet evicted the pod. */
    message?: string;
    conditions?: { type: string; status: string }[];
    containerStatuses?: { restartCount: number }[];
  };
}

/** kubectl in one namespace of the current cluster. */
export interface Kubectl {
  run(...args: string[]): Promise<string>;
  /** Whether the cluster serves a resource, such as `scaledobjects.keda.sh`. */
  serves(resource: string): Promise<boolean>;
  /** Creates or updates objects. */
  apply(...objects: object[]): Promise<void>;
  /** The pods that match a label selector. */
  pods(selector: string): Promise<Pod[]>;
}

export function createKubectl(namespace: string, context: { env: NodeJS.ProcessEnv; signal?: AbortSignal }): Kubectl {
  const run = (...args: string[]) => runTool('kubectl', ['--namespace', namespace, ...args], context);
  return {
    run,
    serves: (resource) =>
      run('get', resource, '--ignore-not-found', '--output=name').then(
        () => true,
        (error: unknown) => {
          if (String(error).includes("doesn't have a resource type")) return false;
          throw error;
        },
      ),
    apply: (...items) =>
      withFile(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }), async (file) => {
        await run('apply', '--filename', file);
      }),
    pods: async (selector) =>
      (JSON.parse(await run('get', 'pods', '--selector', selector, '--output', 'json')) as { items: Pod[] }).items,
  };
}

/** For programs that cannot read from standard input. */
async function withFile(content: string, work: (file: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'dtplatform-cluster-'));
  try {
    const file = path.join(folder, 'objects.json');
    await writeFile(file, content, { mode: 0o600 });
    await work(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const isReady = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status.conditions?.some(({ type, status: state }) => type === 'Ready' && state === 'True') === true;

export const restartsOf = ({ status }: Pod): number =>
  (status.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);

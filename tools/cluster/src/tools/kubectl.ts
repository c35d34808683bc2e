import { runTool } from './run-tool.js';

export interface Pod {
  metadata: { name: string; labels: Record<string, string>; deletionTimestamp?: string };
  status: {
    conditions?: { type: string; status: string }[];
    containerStatuses?: { restartCount: number }[];
  };
}

/** kubectl in one namespace of the current cluster. */
export interface Kubectl {
  run(...args: string[]): Promise<string>;
  /** The pods that match a label selector. */
  pods(selector: string): Promise<Pod[]>;
}

export function createKubectl(namespace: string, context: { env: NodeJS.ProcessEnv; signal?: AbortSignal }): Kubectl {
  const run = (...args: string[]) => runTool('kubectl', ['--namespace', namespace, ...args], context);
  return {
    run,
    pods: async (selector) =>
      (JSON.parse(await run('get', 'pods', '--selector', selector, '--output', 'json')) as { items: Pod[] }).items,
  };
}

export const isReady = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status.conditions?.some(({ type, status: state }) => type === 'Ready' && state === 'True') === true;

export const restartsOf = ({ status }: Pod): number =>
  (status.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);

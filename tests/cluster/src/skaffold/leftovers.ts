import { until } from '@dtplatform/stack';
import type { SkaffoldRun } from './prepare.js';

const KINDS =
  'pods,deployments,statefulsets,jobs,services,configmaps,secrets,serviceaccounts,networkpolicies,poddisruptionbudgets,persistentvolumeclaims';
const OF_THE_CLUSTER = ['configmap/kube-root-ca.crt', 'serviceaccount/default'];

/** Waits until the namespace is as empty as a new one: pods take some seconds to end, finished migrations a minute. */
export async function nothingIsLeft({ kubectl, signal, report }: SkaffoldRun, command: string): Promise<void> {
  let left: string[] = [];
  const isEmpty = async () => {
    const names = (await kubectl.run('get', KINDS, '--output=name', '--ignore-not-found')).split('\n');
    left = names.map((name) => name.trim()).filter((name) => name !== '' && !OF_THE_CLUSTER.includes(name));
    return left.length === 0;
  };
  await until('nothing is left', isEmpty, { timeoutMs: 180_000, everyMs: 2000, signal }).catch((error: unknown) => {
    throw new Error(`after skaffold ${command} these are left: ${left.join(', ')}`, { cause: error });
  });
  report.ready(command, 'Ctrl-C removed everything that it had installed');
}

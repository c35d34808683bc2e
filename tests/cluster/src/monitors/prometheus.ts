import { runTool } from '../tools/run-tool.js';
import type { TestRun } from '../test-run.js';

interface Sample {
  metric: Record<string, string>;
  value: [time: number, value: string];
}
export interface Target {
  health: 'up' | 'down' | 'unknown';
  lastError: string;
  labels: Record<string, string>;
}
interface Rule {
  name: string;
  health: string;
  lastError?: string;
  state?: 'inactive' | 'pending' | 'firing';
}
export interface RuleGroup {
  name: string;
  /** For a rule object of the operator, it contains namespace and name. */
  file: string;
  rules: Rule[];
}

/** The Prometheus of the cluster, reached through the API server. */
export interface Prometheus {
  namespace: string;
  name: string;
  /** Labels by which it selects monitors and rules. */
  labels: { monitors: Record<string, string>; rules: Record<string, string> };
  /** Its pods as a NetworkPolicy peer. */
  peer: object;
  query(expression: string): Promise<Sample[]>;
  /** Whether an expression has had a value since then. */
  hasHad(expression: string, sinceMs: number): Promise<boolean>;
  targets(): Promise<Target[]>;
  ruleGroups(): Promise<RuleGroup[]>;
}

interface PrometheusObject {
  metadata: { name: string; namespace: string };
  spec: { serviceMonitorSelector?: Selector; ruleSelector?: Selector };
}
interface Selector {
  matchLabels?: Record<string, string>;
}

/** The Service that the operator creates for the pods of every Prometheus. */
const SERVICE = 'prometheus-operated:web';

/** Finds the cluster's Prometheus by its custom resource. Undefined if there is none. */
export async function findPrometheus({ env, signal }: TestRun): Promise<Prometheus | undefined> {
  const kubectl = (...args: string[]) => runTool('kubectl', args, { env, signal });
  const listed = await kubectl('get', 'prometheuses.monitoring.coreos.com', '--all-namespaces', '--output', 'json');
  const [found] = (JSON.parse(listed) as { items: PrometheusObject[] }).items;
  if (!found) return undefined;
  const { metadata, spec } = found;
  const api = `/api/v1/namespaces/${metadata.namespace}/services/${SERVICE}/proxy/api/v1`;
  const get = async <T>(path: string): Promise<T> => {
    const response = JSON.parse(await kubectl('get', '--raw', `${api}/${path}`)) as { data: T };
    return response.data;
  };
  const name = { 'kubernetes.io/metadata.name': metadata.namespace };
  return {
    ...metadata,
    labels: { monitors: spec.serviceMonitorSelector?.matchLabels ?? {}, rules: spec.ruleSelector?.matchLabels ?? {} },
    peer: {
      namespaceSelector: { matchLabels: name },
      podSelector: { matchLabels: { 'operator.prometheus.io/name': metadata.name } },
    },
    query: async (expression) =>
      (await get<{ result: Sample[] }>(`query?query=${encodeURIComponent(expression)}`)).result,
    async hasHad(expression, sinceMs) {
      const times = { start: String(sinceMs / 1000), end: String(Date.now() / 1000), step: '15' };
      const parameters = new URLSearchParams({ query: expression, ...times }).toString();
      return (await get<{ result: unknown[] }>(`query_range?${parameters}`)).result.length > 0;
    },
    targets: async () => (await get<{ activeTargets: Target[] }>('targets?state=active')).activeTargets,
    ruleGroups: async () => (await get<{ groups: RuleGroup[] }>('rules?type=alert')).groups,
  };
}

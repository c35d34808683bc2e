import { until } from '@dtplatform/stack';
import { PLATFORM_PODS } from '../context.js';
import { isReady, type Pod } from '../tools/kubectl.js';
import type { TestRun } from '../test-run.js';
import type { PrometheusRule } from './fast-rules.js';
import type { Prometheus, RuleGroup, Target } from './prometheus.js';

const TIMEOUT_MS = 180_000;
const EVERY_MS = 3_000;

/** The problem of a pod's target; undefined if it is up and has the labels that alerts and dashboards expect. */
export function problemOfTarget({ metadata }: Pod, namespace: string, targets: readonly Target[]): string | undefined {
  const target = targets.find(({ labels }) => labels.namespace === namespace && labels.pod === metadata.name);
  if (!target) return `${metadata.name} is not a target`;
  if (target.health !== 'up') return `${metadata.name} is ${target.health}: ${target.lastError}`;
  const expected = {
    job: metadata.labels['app.kubernetes.io/name'],
    app_kubernetes_io_component: metadata.labels['app.kubernetes.io/component'],
  };
  const wrong = Object.entries(expected).filter(([name, value]) => target.labels[name] !== value);
  if (wrong.length === 0) return undefined;
  return `${metadata.name} has ${wrong.map(([name]) => `${name}="${target.labels[name] ?? ''}"`).join(', ')}`;
}

/** Waits until every pod of every service is scraped with its labels. */
export async function checkTargets({ kubectl, options, signal, report }: TestRun, prometheus: Prometheus) {
  let problems: string[] = [];
  let count = 0;
  const allAreUp = async () => {
    const [pods, targets] = await Promise.all([kubectl.pods(PLATFORM_PODS), prometheus.targets()]);
    const running = pods.filter(isReady);
    count = running.length;
    problems = running.flatMap((pod) => problemOfTarget(pod, options.namespace, targets) ?? []);
    return count > 0 && problems.length === 0;
  };
  await until('every pod is scraped', allAreUp, { timeoutMs: TIMEOUT_MS, everyMs: EVERY_MS, signal }).catch(() => {
    throw new Error(`not every pod is scraped: ${problems.join('; ')}`);
  });
  report.ready('monitors', `${count} pods are up, with the labels job, app_kubernetes_io_component, namespace and pod`);
}

/** The differences between installed rules and those that Prometheus has loaded. */
export function problemsOfRules(installed: readonly PrometheusRule[], loaded: readonly RuleGroup[]): string[] {
  return installed.flatMap(({ metadata, spec }) => {
    const groups = loaded.filter(({ file }) => file.includes(`/${metadata.namespace}-${metadata.name}-`));
    return spec.groups.flatMap(({ name, rules }) => {
      const group = groups.find((one) => one.name === name);
      if (!group) return [`${metadata.name}: the group ${name} is not loaded`];
      return rules.flatMap(({ alert }) => {
        const rule = group.rules.find((one) => one.name === alert);
        if (rule?.health === 'ok' && !rule.lastError) return [];
        return [`${metadata.name}/${alert} is ${rule?.health ?? 'not loaded'} ${rule?.lastError ?? ''}`.trim()];
      });
    });
  });
}

/** Waits until Prometheus evaluates every rule without an error. */
export async function checkRules(
  { signal, report }: TestRun,
  prometheus: Prometheus,
  rules: readonly PrometheusRule[],
): Promise<void> {
  let problems: string[] = [];
  const allAreFine = async () => (problems = problemsOfRules(rules, await prometheus.ruleGroups())).length === 0;
  await until('every rule is evaluated', allAreFine, { timeoutMs: TIMEOUT_MS, everyMs: EVERY_MS, signal }).catch(() => {
    throw new Error(`rules are not evaluated: ${problems.join('; ')}`);
  });
  const count = rules.flatMap(({ spec }) => spec.groups.flatMap((group) => group.rules)).length;
  report.ready('monitors', `${count} rules in ${rules.length} objects are loaded and evaluated without errors`);
}

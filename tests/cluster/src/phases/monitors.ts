import { clientCredentials, createCaller } from '@dtplatform/stack/client';
import { createActions, createLedger, createLoadUser } from '@dtplatform/bench/callers';
import { SERVICE_NAMES } from '../context.js';
import { FAST_INTERVAL, fastRule, foreignMetrics, type PrometheusRule } from '../monitors/fast-rules.js';
import { metricsOf, panelQueries } from '../monitors/dashboards.js';
import type { Lab } from '../monitors/fault.js';
import { findPrometheus, type Prometheus } from '../monitors/prometheus.js';
import { idsOf, proveRound, type Seen, type Watch } from '../monitors/prove.js';
import { receiverValues, RECEIVER, removeReceiver, startReceiver } from '../monitors/receiver.js';
import { checkRules, checkTargets } from '../monitors/scrape.js';
import { NOT_MADE, ROUNDS } from '../monitors/table.js';
import type { TestRun } from '../test-run.js';
import { upgradeWith } from '../deploy.js';
import { oneWorkerEach } from '../values.js';

const MONITORS = 'servicemonitors.monitoring.coreos.com';
const RULES = 'prometheusrules.monitoring.coreos.com';

/**
 * Prometheus scrapes every process and evaluates every rule. Each alert fires when its fault is injected, and resolves
 * after it (docs/adr/0021-cluster-test.md). The queries of the dashboards have data.
 */
export async function monitors(run: TestRun): Promise<void> {
  if (!(await run.kubectl.serves(MONITORS))) return void run.skip('monitors', `the cluster does not serve ${MONITORS}`);
  const prometheus = await findPrometheus(run);
  if (!prometheus) return void run.skip('monitors', 'the cluster has no Prometheus of the Prometheus operator');
  const sinceMs = Date.now();
  await startReceiver(run.kubectl, run.options);
  try {
    const took = await upgradeWith(run, { values: valuesFor(prometheus), replicas: 1 });
    run.report.ready('monitors', `installed with monitors, rules and dashboards after ${took.toFixed(1)} s`);
    await checkTargets(run, prometheus);
    const rules = await installedRules(run);
    await checkRules(run, prometheus, rules);
    await proveAlerts(run, prometheus, rules);
    await checkQueries(run, prometheus, { rules, sinceMs });
  } finally {
    await cleanUp(run);
  }
}

/** Prometheus selects objects by labels, and the network policies admit its pods. */
function valuesFor({ labels, peer }: Prometheus): object {
  const { global, passportsvc } = receiverValues;
  const workers = oneWorkerEach();
  return {
    ...workers,
    passportsvc: { ...passportsvc, ...workers.passportsvc },
    global: {
      networkPolicy: { ...global.networkPolicy, enabled: true, monitoring: [peer] },
      serviceMonitor: { enabled: true, interval: FAST_INTERVAL, labels: labels.monitors },
      monitoring: { rules: { enabled: true, labels: labels.rules }, dashboards: { enabled: true } },
    },
  };
}

async function installedRules({ kubectl }: TestRun): Promise<PrometheusRule[]> {
  const selector = '--selector=app.kubernetes.io/part-of=dtplatform';
  const { items } = JSON.parse(await kubectl.run('get', RULES, selector, '--output=json')) as {
    items: PrometheusRule[];
  };
  // A killed test leaves copies with the same labels.
  const own = items.filter(({ metadata }) => SERVICE_NAMES.includes(metadata.name));
  if (own.length !== SERVICE_NAMES.length) throw new Error(`the release has ${own.length} rule objects`);
  return own;
}

async function proveAlerts(run: TestRun, prometheus: Prometheus, rules: readonly PrometheusRule[]): Promise<void> {
  const { kubectl, report, dev, signal, options } = run;
  const [user, stranger] = [await createLoadUser(dev, signal), await createLoadUser(dev, signal)];
  for (const [, call] of createActions(dev, user, createLedger(user))) await call();
  const fast = rules.map(fastRule);
  await kubectl.apply(...fast);
  await checkRules(run, prometheus, fast);
  const { access_token: token } = await clientCredentials(dev);
  const admin = createCaller({ baseUrl: dev.baseUrl, token, signal });
  // An interrupted test could not undo a fault that is half injected.
  const lab: Lab = { ...run, kubectl: run.uninterrupted, admin, user, stranger };
  const watch: Watch = { prometheus, namespace: options.namespace, unseen: await findUnseen(run, prometheus, rules) };
  const problems: string[] = [];
  const seen: Seen[] = [];
  for (const faults of ROUNDS) {
    for (const { what } of faults) report.progress('fault', what);
    const round = await proveRound(lab, watch, faults);
    for (const one of round.seen) report.ready(one.id, describe(one));
    for (const problem of round.problems) report.warn('monitors', problem);
    seen.push(...round.seen);
    problems.push(...round.problems);
  }
  for (const { alert, services, reason } of NOT_MADE)
    report.progress(alert, `not made for ${services.join(', ')}: ${reason}`);
  const expected = ROUNDS.flat().flatMap((fault) => idsOf(fault, watch.unseen)).length;
  report.ready('monitors', `${seen.length} of ${expected} alerts fired`);
  if (problems.length > 0) throw new Error(`alerts did not do what they should:\n${problems.join('\n')}`);
}

const describe = ({ firedAfterSec, resolvedAfterSec }: Seen): string =>
  `fired after ${firedAfterSec.toFixed(0)} s, ` +
  (resolvedAfterSec === undefined ? 'did not resolve' : `resolved after ${resolvedAfterSec.toFixed(0)} s`);

/** Names of alerts that need metrics of other exporters which this Prometheus does not have. */
async function findUnseen(
  run: TestRun,
  prometheus: Prometheus,
  rules: readonly PrometheusRule[],
): Promise<Set<string>> {
  const { namespace } = run.options;
  const exporters = [
    { prefix: 'kube_', probe: `kube_pod_info{namespace="${namespace}"}`, name: 'kube-state-metrics' },
    {
      prefix: 'container_',
      probe: `container_memory_working_set_bytes{namespace="${namespace}",container!=""}`,
      name: 'the container metrics of the kubelet',
    },
  ];
  const unseen = new Set<string>();
  for (const { prefix, probe, name } of exporters) {
    if ((await prometheus.query(probe)).length > 0) continue;
    const alerts = rules.flatMap(({ spec }) => spec.groups.flatMap((group) => group.rules));
    const names = alerts
      .filter(({ expr }) => foreignMetrics(expr).some((metric) => metric.startsWith(prefix)))
      .map(({ alert }) => alert);
    for (const alert of names) unseen.add(alert);
    run.skip(`monitors: ${[...new Set(names)].join(', ')}`, `Prometheus does not have ${name}`);
  }
  return unseen;
}

/** After all faults, every metric has had a series, and every panel has data. */
async function checkQueries(
  { options: { namespace }, report }: TestRun,
  prometheus: Prometheus,
  { rules, sinceMs }: { rules: readonly PrometheusRule[]; sinceMs: number },
): Promise<void> {
  const panels = panelQueries(namespace);
  const empty: string[] = [];
  for (const { panel, expression } of panels) if (!(await prometheus.hasHad(expression, sinceMs))) empty.push(panel);
  report.ready('dashboards', `${panels.length - empty.length} of ${panels.length} queries have data, none fails`);

  const expressions = rules.flatMap(({ spec }) => spec.groups.flatMap((group) => group.rules.map(({ expr }) => expr)));
  const metrics = [...new Set([...expressions, ...panels.map(({ expression }) => expression)].flatMap(metricsOf))];
  const missing: string[] = [];
  for (const metric of metrics)
    if (!(await prometheus.hasHad(`count(${metric}{namespace="${namespace}"})`, sinceMs))) missing.push(metric);
  report.ready(
    'metrics',
    `${metrics.length - missing.length} of ${metrics.length} metrics of alerts and panels have series`,
  );
  const problems = [...empty.map((panel) => `no data: ${panel}`), ...missing.map((metric) => `no series: ${metric}`)];
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

/** Restores the platform's state before this phase. */
async function cleanUp(run: TestRun): Promise<void> {
  const { kubectl, uninterrupted, report } = run;
  const fast = SERVICE_NAMES.map((name) => `${name}-fast`);
  await uninterrupted.run('delete', RULES, ...fast, '--ignore-not-found');
  await upgradeWith(run);
  await removeReceiver(kubectl);
  report.ready('monitors', `removed the rules of the test, ${RECEIVER} and the monitors`);
}

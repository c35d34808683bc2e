import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const charts = fileURLToPath(new URL('../../../charts/', import.meta.url));
const read = (file: string) => readFileSync(`${charts}${file}`, 'utf8');
const dashboards = 'platform/files/dashboards/';

/** Metrics of the cluster: kube-state-metrics, the kubelet and Prometheus itself. */
const OF_OTHERS = /^(kube_|container_|up$)/;

interface Alerts {
  groups: { rules: { expr: string }[] }[];
}
interface Dashboard {
  templating: { list: { query: string }[] };
  panels: { targets: { expr: string }[] }[];
}

/** The metrics that alerts and dashboards query, by chart; those of all services under `platform`. */
export function queriedMetrics(): Record<string, string[]> {
  const own = readdirSync(charts).filter((chart) => existsSync(`${charts}${chart}/files/alerts.yaml`));
  const shared = [
    ...alertQueries('platform-lib/shared/alerts.yaml'),
    ...readdirSync(`${charts}${dashboards}`).flatMap((file) => dashboardQueries(`${dashboards}${file}`)),
  ];
  return Object.fromEntries([
    ['platform', namesIn(shared)],
    ...own.map((chart) => [chart, namesIn(alertQueries(`${chart}/files/alerts.yaml`))] as const),
  ]);
}

function alertQueries(file: string): string[] {
  const { groups } = parse(read(file)) as Alerts;
  return groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));
}

function dashboardQueries(file: string): string[] {
  const { templating, panels } = JSON.parse(read(file)) as Dashboard;
  const variables = templating.list.flatMap(({ query }) => /^label_values\((.+), \w+\)$/.exec(query)?.[1] ?? []);
  return [...variables, ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))];
}

/** Removes selectors, ranges, lists of labels, functions and operators from queries. */
function namesIn(queries: string[]): string[] {
  const names = queries.flatMap((query) => {
    const plain = query
      .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
      .replaceAll(/\b(by|without|on|ignoring|group_left|group_right) ?\([^)]*\)/g, ' ');
    return [...plain.matchAll(/\b[a-z][a-z0-9_]*\b(?! *\()/g)].map(([name]) => name);
  });
  return [...new Set(names)].filter((name) => !['and', 'or', 'unless'].includes(name) && !OF_OTHERS.test(name)).sort();
}

/** The names of the series in the text of `/metrics`, including those without a sample. */
export function exportedMetrics(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) => {
    if (type === 'histogram') return [`${name}_bucket`, `${name}_count`, `${name}_sum`];
    return type === 'summary' ? [`${name}_count`, `${name}_sum`] : [name!];
  });
}

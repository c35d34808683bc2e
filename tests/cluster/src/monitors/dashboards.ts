import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { repoRoot } from '@dtplatform/stack';

const FOLDER = path.join(repoRoot, 'charts/platform/files/dashboards');
/** Four scrapes of the test. */
const RATE_INTERVAL = '20s';

/** A query of a panel. */
export interface PanelQuery {
  panel: string;
  expression: string;
}

interface Dashboard {
  title: string;
  panels: { title: string; targets: { expr: string; legendFormat: string }[] }[];
}

/** The queries of all the chart's dashboards, as Grafana sends them for all services of a namespace. */
export const panelQueries = (namespace: string): PanelQuery[] =>
  readdirSync(FOLDER).flatMap((file) => {
    const { title, panels } = JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')) as Dashboard;
    return panels.flatMap((panel) =>
      panel.targets.map(({ expr, legendFormat }) => ({
        panel: `${title} / ${panel.title} / ${legendFormat}`,
        expression: filledIn(expr, namespace),
      })),
    );
  });

const filledIn = (expression: string, namespace: string): string =>
  expression.replaceAll('$namespace', namespace).replaceAll('$job', '.+').replaceAll('$__rate_interval', RATE_INTERVAL);

/** The metrics in an expression: the names before selectors. */
export const metricsOf = (expression: string): string[] => [
  ...new Set(
    [...expression.replaceAll(/"[^"]*"/g, '""').matchAll(/\b([a-z_][a-z0-9_]*)(?=\{)/g)].map(([name]) => name),
  ),
];

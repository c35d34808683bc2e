/**
 * Copies of the installed rules for a test: the same expressions and thresholds, with ranges of at most 90 seconds
 * instead of up to days.
 */
const UNITS_SEC: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
const FACTOR = 40;
/**
 * With a scrape every 5 seconds, a range has at least four samples. Three restarts with Kubernetes' back-off take 40
 * seconds.
 */
const RANGE_SEC = { least: 20, most: 90 };
const FOR_SEC = { least: 5, most: 15 };
const STEP_SEC = 5;

/** The interval of scrapes and evaluations in the test. */
export const FAST_INTERVAL = `${STEP_SEC}s`;
const LABEL = { test: 'fast' };

interface AlertRule {
  alert: string;
  expr: string;
  for?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}
export interface PrometheusRule {
  metadata: { name: string; namespace: string; labels?: Record<string, string> };
  spec: { groups: { name: string; rules: AlertRule[] }[] };
}

/** An alert of one service. */
export interface ServiceAlert {
  service: string;
  alert: string;
}

/** A service's rules for the test. The name ends with `-fast`. */
export const fastRule = ({ metadata, spec }: PrometheusRule): PrometheusRule & object => ({
  ...{ apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule' },
  metadata: { name: `${metadata.name}-fast`, namespace: metadata.namespace, labels: metadata.labels },
  spec: {
    groups: spec.groups.map(({ name, rules }) => ({
      name: groupName(metadata.namespace, metadata.name, name),
      interval: FAST_INTERVAL,
      rules: rules.map(fastAlert),
    })),
  },
});

const groupName = (namespace: string, service: string, name: string) => `fast/${namespace}/${service}/${name}`;

/** The service of a group of fast rules; undefined for other groups. */
export function serviceOfGroup(group: string, namespace: string): string | undefined {
  const [kind, of, service] = group.split('/');
  return kind === 'fast' && of === namespace ? service : undefined;
}

const fastAlert = ({ expr, for: wait, labels, ...rule }: AlertRule): AlertRule => ({
  ...rule,
  expr: fastExpression(expr),
  ...(wait !== undefined && { for: scaled(wait, FOR_SEC) }),
  labels: { ...labels, ...LABEL },
});

/** Scales the ranges of an expression and its subqueries. */
export const fastExpression = (expression: string): string =>
  expression.replaceAll(/\[(\d+[smhdw])(:\d+[smhdw])?\]/g, (_, range: string, step: string | undefined) =>
    step === undefined ? `[${scaled(range, RANGE_SEC)}]` : `[${scaled(range, RANGE_SEC)}:${STEP_SEC}s]`,
  );

/** Divides a duration by 40, within bounds in seconds. */
export function scaled(duration: string, { least, most }: { least: number; most: number }): string {
  const [, count, unit] = /^(\d+)([smhdw])$/.exec(duration) ?? [];
  if (unit === undefined) throw new Error(`"${duration}" is not a duration of one unit`);
  const seconds = (Number(count) * UNITS_SEC[unit]!) / FACTOR;
  return `${Math.round(Math.min(most, Math.max(least, seconds)))}s`;
}

/** The metrics of other exporters in an expression: of kube-state-metrics and of the kubelet. */
export const foreignMetrics = (expression: string): string[] => [
  ...new Set([...expression.matchAll(/\b(?:kube|container)_\w+(?=[{ )[])/g)].map(([name]) => name)),
];

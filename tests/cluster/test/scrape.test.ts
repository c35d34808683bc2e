import { describe, expect, it } from '@jest/globals';
import { metricsOf, panelQueries } from '../src/monitors/dashboards.js';
import { problemOfTarget, problemsOfRules } from '../src/monitors/scrape.js';

describe('the target of a pod', () => {
  const labels = { 'app.kubernetes.io/name': 'filesvc', 'app.kubernetes.io/component': 'worker' };
  const pod = { metadata: { name: 'filesvc-worker-1', labels }, status: {} };
  const good = { namespace: 'twins', pod: 'filesvc-worker-1', job: 'filesvc', app_kubernetes_io_component: 'worker' };
  const problemWith = (change: object, health: 'up' | 'down' = 'up') =>
    problemOfTarget(pod, 'twins', [{ health, lastError: 'refused', labels: { ...good, ...change } }]);

  it('is as expected if it is up and has the labels of the rules', () => {
    expect(problemWith({})).toBeUndefined();
  });

  it('is reported if it is missing, down or has other labels', () => {
    expect(problemOfTarget(pod, 'twins', [])).toBe('filesvc-worker-1 is not a target');
    // A pod of another namespace with its name.
    expect(problemWith({ namespace: 'others' })).toBe('filesvc-worker-1 is not a target');
    expect(problemWith({}, 'down')).toBe('filesvc-worker-1 is down: refused');
    expect(problemWith({ job: 'filesvc-metrics' })).toBe('filesvc-worker-1 has job="filesvc-metrics"');
  });
});

describe('the rules of a release', () => {
  const rule = {
    metadata: { name: 'filesvc', namespace: 'twins' },
    spec: { groups: [{ name: 'filesvc', rules: [{ alert: 'A', expr: 'a > 0' }] }] },
  };
  const loaded = (namespace: string, health: string, lastError?: string) => [
    { name: 'filesvc', file: `/etc/rules/${namespace}-filesvc-uid.yaml`, rules: [{ name: 'A', health, lastError }] },
  ];

  it('are reported unless they are loaded for it and evaluated', () => {
    expect(problemsOfRules([rule], loaded('twins', 'ok'))).toEqual([]);
    expect(problemsOfRules([rule], loaded('others', 'ok'))).toEqual(['filesvc: the group filesvc is not loaded']);
    expect(problemsOfRules([rule], loaded('twins', 'err', 'bad match'))).toEqual(['filesvc/A is err bad match']);
  });
});

describe('the queries of the dashboards', () => {
  it('have no variables left', () => {
    const queries = panelQueries('twins').map(({ expression }) => expression);
    expect(queries.length).toBeGreaterThan(30);
    expect(queries.filter((query) => query.includes('$'))).toEqual([]);
  });

  it('name their metrics', () => {
    expect(metricsOf('sum by (job) (rate(a_total{x="b{c}"}[20s])) / max(d{e="f"}) > 1')).toEqual(['a_total', 'd']);
  });
});

import { describe, expect, it } from '@jest/globals';
import { fastExpression, fastRule, foreignMetrics, scaled, serviceOfGroup } from '../src/monitors/fast-rules.js';

describe('the fast copy of an expression', () => {
  it('has shorter ranges, within bounds, and subqueries with a step of one scrape', () => {
    expect(fastExpression('rate(a{b="c"}[5m]) / rate(d[30m]) > 0.01')).toBe(
      'rate(a{b="c"}[20s]) / rate(d[45s]) > 0.01',
    );
    expect(fastExpression('increase(a[1h]) > 2')).toBe('increase(a[90s]) > 2');
    expect(fastExpression('min_over_time(max(a)[3d:1h]) > 0')).toBe('min_over_time(max(a)[90s:5s]) > 0');
  });

  it('keeps everything else: thresholds, labels and brackets in regular expressions', () => {
    const expression = 'time() - max(a{b=~"[a-z]+[0-9]",c="5m"}) > 86400';
    expect(fastExpression(expression)).toBe(expression);
  });
});

it('rejects a duration of several units', () => {
  expect(() => scaled('1h30m', { least: 5, most: 15 })).toThrow('"1h30m" is not a duration of one unit');
});

describe('the fast copy of a rule', () => {
  const rule = {
    metadata: { name: 'filesvc', namespace: 'twins', labels: { release: 'prometheus' } },
    spec: {
      groups: [
        {
          name: 'filesvc',
          rules: [
            { alert: 'A', expr: 'rate(a[1h]) > 0', for: '10m', labels: { severity: 'warning' } },
            { alert: 'B', expr: 'b > 0' },
          ],
        },
      ],
    },
  };

  it('is a separate object that Prometheus selects by its labels, and waits for seconds where the rule waits longer', () => {
    const { metadata, spec } = fastRule(rule);
    expect(metadata).toEqual({ name: 'filesvc-fast', namespace: 'twins', labels: { release: 'prometheus' } });
    expect(spec.groups[0]!.rules).toEqual([
      { alert: 'A', expr: 'rate(a[90s]) > 0', for: '15s', labels: { severity: 'warning', test: 'fast' } },
      { alert: 'B', expr: 'b > 0', labels: { test: 'fast' } },
    ]);
  });

  it('is found by its group, in its namespace only', () => {
    const { name } = fastRule(rule).spec.groups[0]!;
    expect([serviceOfGroup(name, 'twins'), serviceOfGroup(name, 'others')]).toEqual(['filesvc', undefined]);
    expect(serviceOfGroup('filesvc', 'twins')).toBeUndefined();
  });
});

it('finds the metrics of other exporters in an expression', () => {
  const expression =
    'max(container_memory_working_set_bytes{a="kube_b"}) / max(kube_pod_container_resource_limits{c="d"}) > up{e="f"}';
  expect(foreignMetrics(expression)).toEqual([
    'container_memory_working_set_bytes',
    'kube_pod_container_resource_limits',
  ]);
});

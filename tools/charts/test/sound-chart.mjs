import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const files = {
  'Chart.yaml': `apiVersion: v2
name: sound-chart
description: The smallest chart that passes.
type: application
version: 0.1.0
`,
  'values.yaml': `# -- How much.
size: 1
`,
  'values.schema.json': JSON.stringify({ additionalProperties: false, properties: { size: { type: 'integer' } } }),
  'templates/config-map.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: sound
  namespace: {{ .Release.Namespace }}
data:
  size: {{ .Values.size | quote }}
`,
  'tests/config-map_test.yaml': `suite: config map
tests:
  - it: says the size
    asserts:
      - equal: { path: data.size, value: '1' }
`,
  'files/alerts.yaml': `groups:
  - name: sound
    rules:
      - alert: TooLarge
        expr: size > 10
        labels: { severity: warning }
        annotations: { summary: It is too large. }
`,
  'files/dashboards/sizes.json': JSON.stringify({
    panels: [{ targets: [{ expr: 'sum(rate(size[$__rate_interval]))' }] }],
  }),
  'tests/alerts.yaml': `rule_files: [../files/alerts.yaml]
tests:
  - input_series: [{ series: size, values: 1 20 }]
    alert_rule_test:
      - { alertname: TooLarge, eval_time: 0m }
      - { alertname: TooLarge, eval_time: 1m, exp_alerts: [{ exp_labels: { severity: warning } }] }
`,
  'examples/default/values.yaml': 'size: 1\n',
};

/** Creates the chart, replacing an earlier one. A stage writes its README. */
export function makeSoundChart(dir) {
  rmSync(dir, { recursive: true, force: true });
  for (const [name, text] of Object.entries(files)) {
    const file = join(dir, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/**
 * Writes what charts have alike, since Helm cannot take values, a schema or files from a library:
 *
 * - `values.yaml` below the marker, from the `values….yaml` of this folder,
 * - the shared properties of `values.schema.json`, from `schema.json`,
 * - what Helm leaves out of a package, and so out of the record of a release, whose size is limited,
 * - in service charts, a file in `templates/` for each object, which includes its template of the library.
 *
 * `--check` only says what differs, and then ends with exit code 1.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'prettier';

const here = import.meta.dirname;
const charts = path.join(here, '../..');
const MARKER = '# The same in other charts (charts/platform-lib/shared).\n';
const UMBRELLA = 'platform';
const IGNORED = '/examples/\n/tests/\n';

const TEMPLATES = {
  'configmap.yaml': 'configMap',
  'deployment.yaml': 'deployment',
  'hpa.yaml': 'hpa',
  'metrics-service.yaml': 'metricsService',
  'migration.yaml': 'migration',
  'networkpolicy-deny.yaml': 'denyPolicy',
  'networkpolicy-migration.yaml': 'migrationNetworkPolicy',
  'networkpolicy-test.yaml': 'testNetworkPolicy',
  'networkpolicy.yaml': 'networkPolicy',
  'NOTES.txt': 'notes',
  'pdb.yaml': 'pdb',
  'service.yaml': 'service',
  'serviceaccount.yaml': 'serviceAccount',
  'servicemonitor.yaml': 'serviceMonitor',
  'tests/api.yaml': 'test',
  'validation.yaml': 'validate',
};
const WORKER_TEMPLATES = {
  'worker-deployment.yaml': 'workerDeployment',
  'worker-hpa.yaml': 'workerHpa',
  'worker-networkpolicy.yaml': 'workerNetworkPolicy',
  'worker-pdb.yaml': 'workerPdb',
  'worker-scaledobject.yaml': 'scaledObject',
};

const read = (...names) => readFileSync(path.join(...names), 'utf8');
const schema = JSON.parse(read(here, 'schema.json'));

const written = await Promise.all([writeUmbrella(), ...services().map(writeService)]);
const differing = written.flat();
if (process.argv.includes('--check') && differing.length > 0) {
  process.stderr.write(`Run \`node charts/platform-lib/shared/write.mjs\`; not current:\n${differing.join('\n')}\n`);
  process.exitCode = 1;
}

function services() {
  return readdirSync(charts).filter((name) => name.endsWith('svc'));
}

async function writeUmbrella() {
  const chart = path.join(charts, UMBRELLA);
  return writeDiffering(chart, {
    '.helmignore': IGNORED,
    'values.yaml': valuesOf(chart, ['global']),
    'values.schema.json': await schemaOf(chart, ['global', 'platform-lib']),
  });
}

async function writeService(name) {
  const chart = path.join(charts, name);
  const hasWorker = read(chart, 'templates/_facts.tpl').includes('\n  worker:\n');
  const { worker: _, ...common } = schema.properties;
  const templates = { ...TEMPLATES, ...(hasWorker ? WORKER_TEMPLATES : {}) };
  return writeDiffering(chart, {
    '.helmignore': IGNORED,
    'values.yaml': valuesOf(chart, hasWorker ? ['worker', 'service', 'global'] : ['service', 'global']),
    'values.schema.json': await schemaOf(chart, Object.keys(hasWorker ? schema.properties : common)),
    ...Object.fromEntries(
      Object.entries(templates).map(([file, template]) => [
        `templates/${file}`,
        `{{ include "platform-lib.${template}" . }}\n`,
      ]),
    ),
  });
}

/** A chart's own values stand above the marker. */
function valuesOf(chart, parts) {
  const [own] = read(chart, 'values.yaml').split(MARKER);
  return [own + MARKER, ...parts.map((part) => read(here, `values.${part}.yaml`))].join('\n');
}

/** A chart's own properties stand first. */
function schemaOf(chart, names) {
  const present = JSON.parse(read(chart, 'values.schema.json')).properties;
  const own = Object.entries(present).filter(([name]) => !(name in schema.properties));
  const shared = names.map((name) => [name, schema.properties[name]]);
  const whole = requireAll({ ...schema, properties: Object.fromEntries([...own, ...shared]) });
  return format(JSON.stringify(whole, undefined, 2), { parser: 'json', printWidth: 120 });
}

/** Everything has a default, so what is missing was set to null. Only a service's own settings may be. */
function requireAll(node) {
  if (!node.properties) return node;
  const entries = Object.entries(node.properties).map(([name, value]) => [
    name,
    name === 'settings' ? value : requireAll(value),
  ]);
  const required = Object.keys(node.properties).filter((name) => name !== 'platform-lib');
  return { ...node, required, properties: Object.fromEntries(entries) };
}

/** @returns the files that were not current */
function writeDiffering(chart, files) {
  const differing = Object.entries(files).filter(([file, text]) => !isCurrent(path.join(chart, file), text));
  if (!process.argv.includes('--check')) for (const [file, text] of differing) write(path.join(chart, file), text);
  return differing.map(([file]) => path.relative(process.cwd(), path.join(chart, file)));
}

function isCurrent(file, text) {
  return existsSync(file) && read(file) === text;
}

function write(file, text) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

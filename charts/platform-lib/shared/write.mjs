/**
 * Writes what all service charts have alike, since Helm cannot take values, a schema or files from a library:
 *
 * - `values.yaml` below the marker, from `values.yaml` and `values.worker.yaml` of this folder,
 * - the shared properties of `values.schema.json`, from `schema.json`,
 * - a file in `templates/` for each object, which includes its template of the library.
 *
 * `--check` only says what differs, and then ends with exit code 1.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'prettier';

const here = import.meta.dirname;
const charts = path.join(here, '../..');
const MARKER = '# The same in all service charts (charts/platform-lib/shared).\n';

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
const shared = {
  values: read(here, 'values.yaml'),
  workerValues: read(here, 'values.worker.yaml'),
  schema: JSON.parse(read(here, 'schema.json')),
};

const differing = (await Promise.all(services().map(writeService))).flat();
if (process.argv.includes('--check') && differing.length > 0) {
  process.stderr.write(`Run \`node charts/platform-lib/shared/write.mjs\`; not current:\n${differing.join('\n')}\n`);
  process.exitCode = 1;
}

function services() {
  const isService = (name) => name !== 'platform-lib' && existsSync(path.join(charts, name, 'templates/_facts.tpl'));
  return readdirSync(charts).filter(isService);
}

/** @returns the files that were not current */
async function writeService(name) {
  const chart = path.join(charts, name);
  const hasWorker = read(chart, 'templates/_facts.tpl').includes('\n  worker:\n');
  const templates = { ...TEMPLATES, ...(hasWorker ? WORKER_TEMPLATES : {}) };
  const files = {
    'values.yaml': valuesOf(chart, hasWorker),
    'values.schema.json': await schemaOf(chart, hasWorker),
    ...Object.fromEntries(
      Object.entries(templates).map(([file, template]) => [
        `templates/${file}`,
        `{{ include "platform-lib.${template}" . }}\n`,
      ]),
    ),
  };
  return Object.entries(files)
    .filter(([file, text]) => writeIfDiffers(path.join(chart, file), text))
    .map(([file]) => `charts/${name}/${file}`);
}

function valuesOf(chart, hasWorker) {
  const [own] = read(chart, 'values.yaml').split(MARKER);
  return [own + MARKER, hasWorker ? shared.workerValues : undefined, shared.values].filter(Boolean).join('\n');
}

/** A chart's own properties stand first and stay as they are. */
function schemaOf(chart, hasWorker) {
  const file = path.join(chart, 'values.schema.json');
  const present = existsSync(file) ? JSON.parse(read(file)).properties : {};
  const own = Object.fromEntries(Object.entries(present).filter(([key]) => !(key in shared.schema.properties)));
  const { worker, ...others } = shared.schema.properties;
  const properties = { ...own, ...others, ...(hasWorker ? { worker } : {}) };
  return format(JSON.stringify({ ...shared.schema, properties }, undefined, 2), { parser: 'json', printWidth: 120 });
}

function writeIfDiffers(file, text) {
  if (existsSync(file) && read(file) === text) return false;
  if (!process.argv.includes('--check')) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return true;
}

/**
 * Writes the shared parts of all charts, since Helm takes no values, schema or files from a library chart:
 *
 * - `values.yaml` below the marker, from the `values.*.yaml` files of this folder,
 * - the shared properties of `values.schema.json`, from `schema.json`,
 * - `.helmignore`: examples and tests stay out of the package and so out of the release record, whose size is limited,
 * - in service charts, the files in `templates/` that include the templates of the library,
 * - in the library, the alerts of `alerts.yaml` and the names of the global values,
 * - in the umbrella chart, the dashboards of `dashboards.mjs`.
 *
 * `--check` only reports the files that are out of date, and exits with code 1 if there are any.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'prettier';
import { dashboards } from './dashboards.mjs';

const here = import.meta.dirname;
const charts = path.join(here, '../..');
const MARKER = '# From here on shared by all charts: edit charts/platform-lib/shared instead.\n';
/** Workers that need more than the shared memory limit: filesvc renders previews. */
const WORKER_MEMORY = { filesvc: '1Gi' };
const UMBRELLA = 'platform';
const IGNORED = '/examples/\n/tests/\n';

/** The objects of a service, in this order. The library has a template for each. */
const OBJECTS = [
  'serviceAccount',
  'configMap',
  'migration',
  'deployment',
  'service',
  'hpa',
  'pdb',
  'metricsService',
  'serviceMonitor',
  'prometheusRule',
  'denyPolicy',
  'networkPolicy',
  'migrationNetworkPolicy',
  'testNetworkPolicy',
];
const WORKER_OBJECTS = ['workerDeployment', 'workerHpa', 'scaledObject', 'workerPdb', 'workerNetworkPolicy'];
const TEMPLATES = { 'NOTES.txt': 'notes', 'tests/api.yaml': 'test' };

const read = (...names) => readFileSync(path.join(...names), 'utf8');
const schema = JSON.parse(read(here, 'schema.json'));

const written = await Promise.all([writeLibrary(), writeUmbrella(), writeBackends(), ...services().map(writeService)]);
const differing = written.flat();
if (process.argv.includes('--check') && differing.length > 0) {
  process.stderr.write(`Out of date, run \`node charts/platform-lib/shared/write.mjs\`:\n${differing.join('\n')}\n`);
  process.exitCode = 1;
}

function services() {
  return readdirSync(charts).filter((name) => name.endsWith('svc'));
}

/** Escapes what would look like a template action. */
function writeLibrary() {
  const globalKeys = Object.keys(schema.properties.global.properties).join(' ');
  const alerts = read(here, 'alerts.yaml').replaceAll('{{', '{{ "{{" }}');
  return writeDiffering(path.join(charts, 'platform-lib'), {
    'templates/_shared-alerts.tpl': `{{- define "platform-lib.sharedAlerts" -}}\n${alerts}{{- end }}\n`,
    'templates/_global-keys.tpl': `{{- define "platform-lib.globalKeys" -}}\n${globalKeys}\n{{- end }}\n`,
  });
}

async function writeUmbrella() {
  const chart = path.join(charts, UMBRELLA);
  return writeDiffering(chart, {
    '.helmignore': IGNORED,
    'values.yaml': valuesOf(chart, ['global']),
    'values.schema.json': await schemaOf(chart, ['global', 'platform-lib']),
    ...(await dashboardFiles()),
  });
}

/** Its schema is its own; only the umbrella chart sets `enabled`. */
async function writeBackends() {
  const chart = path.join(charts, 'dev-backends');
  const own = JSON.parse(read(chart, 'values.schema.json'));
  const whole = requireValues(own, own.definitions);
  whole.required = whole.required.filter((name) => name !== 'enabled');
  return writeDiffering(chart, { 'values.schema.json': await formatJson(whole) });
}

async function dashboardFiles() {
  const files = Object.entries(dashboards).map(async ([name, dashboard]) => [
    `files/dashboards/${name}.json`,
    await format(JSON.stringify(dashboard), { parser: 'json', printWidth: 160 }),
  ]);
  return Object.fromEntries(await Promise.all(files));
}

async function writeService(name) {
  const chart = path.join(charts, name);
  const hasWorker = read(chart, 'templates/_facts.tpl').includes('\n  worker:\n');
  const { worker: _, ...common } = schema.properties;
  return writeDiffering(chart, {
    '.helmignore': IGNORED,
    'values.yaml': valuesOf(chart, hasWorker ? ['worker', 'service', 'global'] : ['service', 'global']),
    'values.schema.json': await schemaOf(chart, Object.keys(hasWorker ? schema.properties : common)),
    'templates/objects.yaml': objectsFile(hasWorker ? [...OBJECTS, ...WORKER_OBJECTS] : OBJECTS),
    ...Object.fromEntries(
      Object.entries(TEMPLATES).map(([file, template]) => [`templates/${file}`, `{{ ${include(template)} }}\n`]),
    ),
  });
}

/** Puts all objects in one file, after the validation, so that mistakes in the values are reported first. */
function objectsFile(objects) {
  const comment = '{{- /* Every object of this service, from the templates in charts/platform-lib/templates. */}}';
  const documents = objects.map((object) => `{{ ${include(object)} }}\n`);
  return `${comment}\n{{- ${include('validate')} }}\n${documents.join('---\n')}`;
}

function include(template) {
  return `include "platform-lib.${template}" .`;
}

/** A chart's own values come before the marker. */
function valuesOf(chart, parts) {
  const [own] = read(chart, 'values.yaml').split(MARKER);
  return [own + MARKER, ...parts.map((part) => sharedValues(chart, part))].join('\n');
}

function sharedValues(chart, part) {
  const text = read(here, `values.${part}.yaml`);
  const memory = part === 'worker' && WORKER_MEMORY[path.basename(chart)];
  return memory ? text.replace(/limits: { memory: \w+ }/, `limits: { memory: ${memory} }`) : text;
}

/** A chart's own properties come first. */
function schemaOf(chart, names) {
  const present = JSON.parse(read(chart, 'values.schema.json')).properties;
  const own = Object.entries(present).filter(([name]) => !(name in schema.properties));
  const shared = names.map((name) => [name, schema.properties[name]]);
  const properties = Object.fromEntries([...own, ...shared]);
  return formatJson({ ...schema, ...requireValues({ properties }, schema.definitions) });
}

function formatJson(value) {
  return format(JSON.stringify(value), { parser: 'json', printWidth: 160 });
}

/**
 * Every value has a default, so a missing one was set to null. That is an error unless the value may be empty: a map, a
 * list or an empty string.
 */
function requireValues(node, definitions) {
  if (!node.properties) return node;
  const entries = Object.entries(node.properties).map(([name, value]) => [
    name,
    ['settings', 'dev'].includes(name) ? value : requireValues(value, definitions),
  ]);
  const required = Object.keys(node.properties).filter((name) => !mayBeEmpty(node.properties[name], definitions, name));
  return { ...node, ...(required.length > 0 && { required }), properties: Object.fromEntries(entries) };
}

function mayBeEmpty(value, definitions, name) {
  const definition = value.$ref && definitions[value.$ref.split('/').pop()];
  if (definition)
    return definition.required === undefined && (definition.type === 'object' || mayBeEmpty(definition, definitions));
  const { type, properties, pattern = '', minLength = 0, minItems = 0, enum: values, oneOf = [] } = value;
  if (type === 'object')
    return (
      ['platform-lib', 'dev'].includes(name) ||
      !Object.values(properties ?? {}).some((one) => !mayBeEmpty(one, definitions))
    );
  if (type === 'string') return minLength === 0 && new RegExp(pattern).test('');
  if (type === 'array') return minItems === 0;
  return values?.includes('') === true || oneOf.some((one) => one.const === '');
}

/** @returns the files that were out of date */
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

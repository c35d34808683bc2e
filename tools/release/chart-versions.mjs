/**
 * Copies the versions of the service packages to their charts: `node tools/release/chart-versions.mjs [repository]`.
 *
 * The chart of a service gets the version of its package, also as `appVersion`, the tag of its image. The chart of the
 * development backends gets the version of passportsvc, whose image it uses. The umbrella chart depends on the new
 * versions, and names those of the backup programs and the documentation site in annotations; its own version rises by
 * the largest change among the packages. Idempotent.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = process.argv[2] ?? join(import.meta.dirname, '../..');
const VERSION = /^\d+\.\d+\.\d+$/;

const packages = Object.fromEntries(readdirSync(join(root, 'services')).map((service) => [service, service]));
packages['dev-backends'] = 'passportsvc';

const chartFile = (name) => join(root, 'charts', name, 'Chart.yaml');
const versionOf = (chart) => /^version: (.*)$/m.exec(chart)[1];
const withVersion = (chart, version) =>
  chart.replace(/^version: .*$/m, `version: ${version}`).replace(/^appVersion: .*$/m, `appVersion: ${version}`);
const withDependency = (chart, name, version) =>
  chart.replace(new RegExp(`(- name: ${name}\n +version: ).*`), `$1${version}`);

let umbrella = readFileSync(chartFile('platform'), 'utf8');
/** The leftmost number that changed: 0 for the major version, 3 for none. */
let greatestChange = 3;

for (const [name, service] of Object.entries(packages)) {
  const version = versionIn(`services/${service}`);
  const chart = readFileSync(chartFile(name), 'utf8');
  greatestChange = Math.min(greatestChange, changeBetween(versionOf(chart), version));
  writeFileSync(chartFile(name), withVersion(chart, version));
  umbrella = withDependency(umbrella, name, version);
}
for (const tool of ['backup', 'site']) {
  const annotation = new RegExp(`^( +dtplatform/${tool}: )(.*)$`, 'm');
  const version = versionIn(`tools/${tool}`);
  greatestChange = Math.min(greatestChange, changeBetween(annotation.exec(umbrella)[2], version));
  umbrella = umbrella.replace(annotation, `$1${version}`);
}
writeFileSync(chartFile('platform'), withVersion(umbrella, raised(versionOf(umbrella), greatestChange)));

function versionIn(folder) {
  const { version } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  if (!VERSION.test(version)) throw new Error(`${folder}: ${version} is not a version like 1.2.3`);
  return version;
}

function changeBetween(before, after) {
  const numbers = before.split('.');
  const place = after.split('.').findIndex((number, index) => number !== numbers[index]);
  return place === -1 ? 3 : place;
}

function raised(version, place) {
  const numbers = version.split('.').map(Number);
  return numbers.map((number, index) => (index < place ? number : index === place ? number + 1 : 0)).join('.');
}

/**
 * `npm run build`: packs the wheel into `dist`, without Python, so that images can be built without it. The format is that
 * of https://packaging.python.org/en/latest/specifications/binary-distribution-format.
 */
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { zipSync } from 'fflate';
import { parse } from 'smol-toml';

const SOURCE = 'src/';
/** Equal sources make equal archives. The format begins in 1980. */
const WRITTEN_AT = '1980-01-01T00:00:00';
const WHEEL = ['Wheel-Version: 1.0', 'Generator: dtplatform', 'Root-Is-Purelib: true', 'Tag: py3-none-any', ''];

process.chdir(import.meta.dirname);
const { project } = parse(readFileSync('pyproject.toml', 'utf8'));
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const info = `${project.name}-${version}.dist-info`;

const modules = globSync(`${SOURCE}${project.name}/**/{*.py,py.typed}`).sort();
const files = {
  ...Object.fromEntries(modules.map((file) => [file.slice(SOURCE.length), readFileSync(file)])),
  [`${info}/licenses/LICENSE`]: readFileSync('LICENSE'),
  [`${info}/METADATA`]: Buffer.from(metadata()),
  [`${info}/WHEEL`]: Buffer.from(WHEEL.join('\n')),
};
files[`${info}/RECORD`] = Buffer.from(record());
rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');
writeFileSync(`dist/${project.name}-${version}-py3-none-any.whl`, zipSync(files, { mtime: WRITTEN_AT }));

function metadata() {
  const fields = [
    ['Metadata-Version', '2.4'],
    ['Name', project.name],
    ['Version', version],
    ['Summary', project.description],
    ['License-Expression', project.license],
    ['License-File', 'LICENSE'],
    ['Requires-Python', project['requires-python']],
    ...project.dependencies.map((dependency) => ['Requires-Dist', dependency]),
    ...project.classifiers.map((classifier) => ['Classifier', classifier]),
    ['Description-Content-Type', 'text/markdown'],
  ];
  const lines = fields.map(([name, value]) => `${name}: ${value}`);
  return [...lines, '', readFileSync(project.readme, 'utf8')].join('\n');
}

function record() {
  const hash = (content) => `sha256=${createHash('sha256').update(content).digest('base64url')}`;
  const lines = Object.entries(files).map(([name, content]) => `${name},${hash(content)},${content.length}`);
  return [...lines, `${info}/RECORD,,`, ''].join('\n');
}

/**
 * Writes `services/<service>/openapi.json` from the route declarations of the built services, and `asyncapi.json` from
 * the messages of websockets. Keeps the examples, which tests write.
 *
 * `--check` writes nothing and fails if a committed document differs from the routes, Spectral finds a fault in the
 * reference, or a service lacks descriptions or examples. `--missing SERVICE` lists what a service lacks.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format } from 'prettier';
import {
  copyExamples,
  copyMessageExamples,
  describeApi,
  inlineParts,
  missingInMessages,
  missingParts,
  shareParts,
} from '@dtplatform/openapi';
import { lint } from './lint.mjs';

const root = new URL('../../', import.meta.url).pathname;
const { values: options } = parseArgs({ options: { check: { type: 'boolean' }, missing: { type: 'string' } } });
/** Joined from the committed descriptions by the build. */
const REFERENCE = ['openapi.json', 'asyncapi.json'].map((name) => `tools/openapi/dist/reference/${name}`);

/** Stands in for the dependencies: route tables only pass them on, and no handler runs here. */
const noDeps = new Proxy(() => noDeps, { get: () => noDeps });

const services = await Promise.all(readdirSync(join(root, 'services')).map(describeService));
if (options.missing) print(services.find(({ service }) => service === options.missing)?.missing ?? []);
else process.exitCode = await keepAll();

async function describeService(service) {
  const { service: declared, createAsyncApi } = await import(join(root, 'services', service, 'dist/service.js'));
  const document = describeApi(declared.createApi(noDeps));
  const committed = readJson(`services/${service}/openapi.json`);
  if (committed) copyExamples(inlineParts(committed), document);
  const asyncApi = createAsyncApi?.();
  const committedAsync = asyncApi && readJson(`services/${service}/asyncapi.json`);
  if (committedAsync) copyMessageExamples(committedAsync, asyncApi);
  const missing = [...missingParts(document), ...(asyncApi ? missingInMessages(asyncApi) : [])];
  return { service, document, asyncApi, missing };
}

async function keepAll() {
  const documents = {};
  for (const { service, document, asyncApi } of services) {
    documents[`services/${service}/openapi.json`] = shareParts(document);
    if (asyncApi) documents[`services/${service}/asyncapi.json`] = asyncApi;
  }
  if (options.check) return check(documents);
  for (const [file, document] of Object.entries(documents)) writeFileSync(join(root, file), await textOf(document));
  return 0;
}

async function check(documents) {
  const texts = await Promise.all(Object.values(documents).map(textOf));
  const stale = Object.keys(documents).filter((file, n) => readText(file) !== texts[n]);
  // Not the services' own descriptions, which contain aliases.
  const findings = (await Promise.all(REFERENCE.map((file) => lint(readJson(file), file)))).flat();
  const lacking = services.flatMap(({ service, missing }) => missing.map((what) => `services/${service}: ${what}`));
  print(stale, 'Not what the code says; run "npm run openapi":');
  print(findings, 'Findings of Spectral:');
  print(lacking, 'Missing (CONTRIBUTING.md, "Describe an operation"):');
  return stale.length + findings.length + lacking.length === 0 ? 0 : 1;
}

function print(lines, title) {
  if (lines.length > 0) process.stdout.write(`${title ? `${title}\n` : ''}${lines.join('\n')}\n`);
}

/** What fits into a line is on one, so that changes are easy to review. */
function textOf(document) {
  return format(JSON.stringify(document), { parser: 'json', printWidth: 160 });
}

function readJson(file) {
  const text = readText(file);
  return text === undefined ? undefined : JSON.parse(text);
}

function readText(file) {
  try {
    return readFileSync(join(root, file), 'utf8');
  } catch {
    return undefined;
  }
}

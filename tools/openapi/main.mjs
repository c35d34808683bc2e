/**
 * Writes `services/<service>/openapi.json` from the route declarations of the built services, and `asyncapi.json` from the
 * messages of those that have websockets.
 * With `--check` it writes nothing and fails if a committed document differs from the routes.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeApi } from '@dtplatform/openapi';

const root = new URL('../../', import.meta.url).pathname;
const isCheck = process.argv.includes('--check');

/** Stands in for the dependencies: route tables only pass them on, and no handler runs here. */
const noDeps = new Proxy(() => noDeps, { get: () => noDeps });

const stale = [];
for (const service of readdirSync(join(root, 'services'))) {
  const { createApi, createAsyncApi } = await import(join(root, 'services', service, 'dist/app.js'));
  keep(service, 'openapi.json', describeApi(createApi(noDeps)));
  if (createAsyncApi) keep(service, 'asyncapi.json', createAsyncApi());
}

if (stale.length > 0) {
  process.stderr.write(`Not what the code says; run "npm run openapi":\n${stale.join('\n')}\n`);
  process.exitCode = 1;
}

function keep(service, name, document) {
  const text = `${JSON.stringify(document, null, 2)}\n`;
  const file = join(root, 'services', service, name);
  if (!isCheck) writeFileSync(file, text);
  else if (read(file) !== text) stale.push(file);
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
